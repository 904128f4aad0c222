package remediation

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// requestFacts reads the object that the latest attempt made, or else the one with the name that the next attempt would use. It
// reads past the cache: few records have one, and its kind may not be watchable.
func (r *Reader) requestFacts(ctx context.Context, v *view) error {
	var err error
	var number int32
	v.facts.Request, number, err = r.observeRequest(ctx, v.facts.Record)
	if !scaffold.Answered(err) || mustRead(v) {
		return err
	}
	r.assumeUnreadable(v, number, err)
	return nil
}

// mustRead reports whether nothing may be decided without the request: it keeps the host off for a person, and only what was read may end that.
// Deleting the record, or its Machine, does not wait for a read.
func mustRead(v *view) bool {
	record := v.facts.Record
	gone := v.machine == nil || !v.machine.DeletionTimestamp.IsZero() || !record.DeletionTimestamp.IsZero()
	return ladder.SingleSteps(record) && ladder.AtWork(record) != nil && !gone
}

// assumeUnreadable handles a kind that cannot be read. An object that an attempt made is assumed to exist until it is known to be withdrawn,
// unless the machine is gone. Before it is made, the slot goes to another machine. The answer to the write that made it is as good as a read.
func (r *Reader) assumeUnreadable(v *view, number int32, err error) {
	record := v.facts.Record
	last := ladder.Last(&record.Status)
	switch {
	case v.machine == nil:
	case last == nil || last.ObjectRef == nil || last.Number != number:
		if v.made != nil && v.made.OperationID == ladder.OperationID(record, number) {
			v.facts.Request = v.made
			v.facts.Request.Unreadable = ownwrites.Note(ownwrites.Cause(err))
			return
		}
		v.facts.Safety.Failed = couldNot(err)
	case !ladder.MayStand(record):
		// It was seen gone.
	default:
		v.facts.Request = &ladder.Request{
			OperationID: last.OperationID, Ref: *last.ObjectRef, Unreadable: ownwrites.Note(ownwrites.Cause(err)), Deleting: v.deletedUnread,
		}
	}
}

// noteMade remembers what the API server has answered: that a request was made.
func (v *view) noteMade(asked remedy.Request, uid types.UID) {
	kind := asked.Kind()
	v.made = &ladder.Request{OperationID: asked.Attempt.OperationID, Ref: v1alpha1.RemediationObjectReference{
		APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Name: asked.Name(), UID: uid,
	}}
}

// couldNot says why an attempt could not be carried out.
func couldNot(err error) string {
	return ownwrites.Note("The attempt could not be carried out: " + ownwrites.Cause(err))
}

// observeRequest returns nil if there is no object. If one cannot be read, it returns the number of its attempt.
func (r *Reader) observeRequest(ctx context.Context, record *v1alpha1.MachineRemediation) (*ladder.Request, int32, error) {
	for _, wanted := range wantedRequests(record) {
		if err := r.watchKind(ctx, wanted.Kind()); err != nil {
			return nil, 0, err
		}
		found, err := readRequest(ctx, r.Live, wanted)
		if found != nil || err != nil {
			return found, wanted.Attempt.Number, err
		}
	}
	return nil, 0, nil
}

// wantedRequests returns the requests that may exist: that of the latest attempt, and that of the next one.
func wantedRequests(record *v1alpha1.MachineRemediation) []remedy.Request {
	var list []remedy.Request
	add := func(step v1alpha1.RemediationStep, number int32) {
		if makesRequest(step) {
			attempt := v1alpha1.RemediationAttempt{Number: number, Step: step.Name, OperationID: ladder.OperationID(record, number)}
			list = append(list, remedy.Request{Record: record, Step: step, Attempt: attempt})
		}
	}
	if last := ladder.Last(&record.Status); last != nil {
		if step, ok := ladder.StepNamed(record, last.Step); ok {
			add(step, last.Number)
		}
	}
	if step, ok := ladder.NextStep(record); ok && ladder.AtWork(record) == nil {
		add(step, max(1, record.Status.Attempt))
	}
	return list
}

// makesRequest reports whether a step makes an object: all requests and power cycles do.
func makesRequest(step v1alpha1.RemediationStep) bool {
	return (step.Action == v1alpha1.ActionRequest && step.TemplateRef != nil) || step.Action == v1alpha1.ActionReboot
}

func readRequest(ctx context.Context, live client.Reader, wanted remedy.Request) (*ladder.Request, error) {
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(wanted.Kind())
	key := client.ObjectKey{Namespace: wanted.Record.Namespace, Name: wanted.Name()}
	err := live.Get(ctx, key, found)
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("getting %s %s: %w", wanted.Kind().Kind, key, err)
	}
	request := &ladder.Request{
		Ref: v1alpha1.RemediationObjectReference{
			APIVersion: found.GetAPIVersion(), Kind: found.GetKind(), Name: found.GetName(), UID: found.GetUID(),
		},
		Deleting:    found.GetDeletionTimestamp() != nil,
		OperationID: operationOf(found, wanted),
	}
	request.Succeeded, request.Message = succeeded(found)
	if wanted.Step.Action == v1alpha1.ActionReboot {
		return request, addCycle(request, found)
	}
	return request, nil
}

// addCycle adds how far a power cycle has come.
func addCycle(request *ladder.Request, found *unstructured.Unstructured) error {
	reboot := &v1alpha1.RebootRemediation{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(found.Object, reboot); err != nil {
		return fmt.Errorf("reading RebootRemediation %s: %w", client.ObjectKeyFromObject(found), err)
	}
	s := &reboot.Status
	if s.BeganAt == nil {
		request.Kept = ownwrites.Note(cycle.AwaitsPerson(s))
		request.Impossible = s.Phase == v1alpha1.Failed && s.Outcome == v1alpha1.ReasonHostUnavailable
		return nil
	}
	request.BeganAt, request.Aborted = s.BeganAt.Time, s.Phase == v1alpha1.Aborted
	request.HostReleased = s.PowerOnReleasedAt != nil
	// Where the proof has to begin anew, the host stays off for who asked.
	if off := cmp.Or(s.PoweredOffAt, s.HoldingSince); off != nil {
		request.HostOffAt = off.Time
	}
	return nil
}

// operationOf returns the operationID of the attempt that made a request; empty if it belongs to another record. A request from
// before the record is taken over: Cluster API's own controller made it, or a record that is gone.
func operationOf(found *unstructured.Unstructured, wanted remedy.Request) string {
	operation := found.GetAnnotations()[v1alpha1.OperationAnnotation]
	if ladder.IsOperationOf(wanted.Record.UID, operation) {
		return operation
	}
	if found.GetDeletionTimestamp() != nil {
		// It is finished, and its name will soon be free.
		return ""
	}
	machine := wanted.Record.Spec.MachineRef.UID
	if slices.ContainsFunc(found.GetOwnerReferences(), func(ref metav1.OwnerReference) bool { return ref.UID == machine }) {
		return wanted.Attempt.OperationID
	}
	return ""
}

// succeeded reads the condition Succeeded of a request.
func succeeded(found *unstructured.Unstructured) (state, message string) {
	conditions, _, _ := unstructured.NestedSlice(found.Object, "status", "conditions")
	for _, each := range conditions {
		c, ok := each.(map[string]any)
		if !ok || c["type"] != v1alpha1.ConditionSucceeded {
			continue
		}
		state, _ = c["status"].(string)
		message, _ = c["message"].(string)
		message = ownwrites.Note(message)
	}
	return state, message
}
