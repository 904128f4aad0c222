package machinehealthcheck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/record"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/pacing"
	"github.com/sickbay-dev/sickbay/internal/words"
)

// admitOne creates the record of an admitted machine, or grants it another slot.
func (r *Reconciler) admitOne(ctx context.Context, f admission.Facts, d admission.Decision, one admission.Admission) outcome {
	owner, machine, began := client.ObjectKeyFromObject(f.MachineHealthCheck), one.Machine, r.Clock.Now()
	written, err := r.write(ctx, f, d, one)
	if err != nil {
		r.reportFailure(ctx, f, machine, err)
		return outcome{free: !mayBeWritten(err)}
	}
	r.admitted.Expect(owner, written, r.Clock.Now())
	if ladder.Ended(written) {
		return outcome{record: written, free: true}
	}
	r.failures.Succeed(owner, machine.UID)
	r.reportAdmission(ctx, f, one, written, began)
	return outcome{record: written, free: one.Grant == 0}
}

// reportAdmission logs and traces an admission, and counts it if it is a relapse.
func (r *Reconciler) reportAdmission(ctx context.Context, f admission.Facts, one admission.Admission, written *v1alpha1.MachineRemediation, began time.Time) {
	ctrl.LoggerFrom(ctx).Info("Machine admitted", "machine", one.Machine.Name, "remediation", written.Name, "grant", written.Spec.Grant,
		"step", stepOf(written), "reason", written.Spec.Finding.Reason)
	if one.Record != nil {
		r.Tracer.Granted(written, began, r.Clock.Now())
		return
	}
	r.Tracer.Admitted(written, began, r.Clock.Now())
	if admission.Relapsed(f, written) {
		relapsesTotal.Inc()
	}
}

// stepOf returns the step that a record is about to take.
func stepOf(r *v1alpha1.MachineRemediation) string {
	switch {
	case r.Status.Step != "":
		return r.Status.Step
	case r.Spec.StartAt != nil:
		return r.Spec.StartAt.Step
	case len(r.Spec.Steps) > 0:
		return r.Spec.Steps[0].Name
	}
	return ""
}

// reportFailure records that a machine could not be admitted, and reports it once for each cause. It is retried after a pause.
func (r *Reconciler) reportFailure(ctx context.Context, f admission.Facts, machine *clusterv1.Machine, err error) {
	if r.failures.Fail(client.ObjectKeyFromObject(f.MachineHealthCheck), machine.UID, ownwrites.Cause(err), r.Clock.Now()) {
		ctrl.LoggerFrom(ctx).Error(err, "Machine cannot be admitted", "machine", machine.Name)
		r.event(f.MachineHealthCheck, machine, corev1.EventTypeWarning, EventAdmissionFailed, words.Upper(err.Error()))
	}
}

func (r *Reconciler) write(ctx context.Context, f admission.Facts, d admission.Decision, one admission.Admission) (*v1alpha1.MachineRemediation, error) {
	if one.Record != nil {
		return r.grant(ctx, one)
	}
	spec := admission.Spec(f, d, one, r.Clock.Now())
	r.addNodeUID(ctx, f, &spec)
	return r.create(ctx, f, spec)
}

// addNodeUID reads the UID of the Node from the cache. If the Node is not there, the UID stays unknown.
func (r *Reconciler) addNodeUID(ctx context.Context, f admission.Facts, spec *v1alpha1.MachineRemediationSpec) {
	if spec.NodeRef == nil {
		return
	}
	if node, err := r.Observer.Nodes.Get(ctx, client.ObjectKeyFromObject(f.Cluster), spec.NodeRef.Name); err == nil {
		spec.NodeRef.UID = node.UID
	}
}

// create creates a record. It derives the name from the records in the cache, as long as the last of them still exists; if the name
// is taken, it asks the API server for the last one. An open record is as good as a new one: we created it just now, or another
// leader did. An ended record that the cache does not show is returned, and none is created: the step to begin with depends on it,
// so the machine is decided on again when the cache shows it.
func (r *Reconciler) create(ctx context.Context, f admission.Facts, spec v1alpha1.MachineRemediationSpec) (*v1alpha1.MachineRemediation, error) {
	last := lastOf(f.Records, spec.MachineRef.UID)
	exists, err := r.stillExists(ctx, last)
	if err != nil {
		return nil, err
	}
	ordinal := 1
	if last != nil {
		ordinal = record.Ordinal(last) + 1
	}
	if exists {
		written := newRecord(f, ordinal, spec)
		if err = r.Client.Create(ctx, written); !apierrors.IsAlreadyExists(err) {
			return written, creating(written, err)
		}
	}
	if last, err = r.last(ctx, f, spec.MachineRef.UID); err != nil {
		return nil, err
	}
	if last != nil && (!ladder.Ended(last) || !shows(f.Records, last)) {
		return last, nil
	}
	if last != nil {
		ordinal = max(ordinal, record.Ordinal(last)+1)
	}
	written := newRecord(f, ordinal, spec)
	return written, creating(written, r.Client.Create(ctx, written))
}

func creating(r *v1alpha1.MachineRemediation, err error) error {
	if err != nil {
		return fmt.Errorf("creating MachineRemediation %s: %w", r.Name, err)
	}
	return nil
}

// shows reports whether the cache shows a record.
func shows(all []*v1alpha1.MachineRemediation, one *v1alpha1.MachineRemediation) bool {
	return slices.ContainsFunc(all, func(r *v1alpha1.MachineRemediation) bool { return r.UID == one.UID })
}

// stillExists reports whether a cached record still exists. If somebody deleted it, numbering restarts: another leader may have made an
// open record with a name that the cache has for this one.
func (r *Reconciler) stillExists(ctx context.Context, shown *v1alpha1.MachineRemediation) (bool, error) {
	if shown == nil {
		return true, nil
	}
	key, live := client.ObjectKeyFromObject(shown), &v1alpha1.MachineRemediation{}
	err := r.Live.Get(ctx, key, live)
	if client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("getting MachineRemediation %s: %w", key, err)
	}
	return err == nil && live.UID == shown.UID, nil
}

// newRecord also stores the location of its machine: pacing needs it after the machine is gone.
func newRecord(f admission.Facts, ordinal int, spec v1alpha1.MachineRemediationSpec) *v1alpha1.MachineRemediation {
	created := record.New(f.Cluster, ordinal, spec)
	record.Filter(created, f.MachineHealthCheck)
	for i := range f.Targets {
		if f.Targets[i].Machine.UID == spec.MachineRef.UID {
			maps.Copy(created.Annotations, pacing.Annotations(f.Targets[i].Machine))
		}
	}
	return created
}

// lastOf returns the record of a machine with the highest ordinal; nil if it has none.
func lastOf(all []*v1alpha1.MachineRemediation, machine types.UID) *v1alpha1.MachineRemediation {
	var last *v1alpha1.MachineRemediation
	for _, one := range all {
		if one.Spec.MachineRef.UID == machine && (last == nil || record.Ordinal(one) > record.Ordinal(last)) {
			last = one
		}
	}
	return last
}

// last returns the record of a machine with the highest ordinal, past the cache; nil if there is none.
func (r *Reconciler) last(ctx context.Context, f admission.Facts, machine types.UID) (*v1alpha1.MachineRemediation, error) {
	all, err := record.LiveOfMachine(ctx, r.Live, f.Cluster.Namespace, machine)
	if err != nil {
		return nil, err
	}
	return lastOf(all, machine), nil
}

// grant raises spec.grant of a record, if it is still the one that was decided on and nobody else has raised it.
func (r *Reconciler) grant(ctx context.Context, one admission.Admission) (*v1alpha1.MachineRemediation, error) {
	patch := ownwrites.JSONPatch{
		ownwrites.TestUID(one.Record),
		ownwrites.Test("/spec/grant", one.Record.Spec.Grant),
		{Op: "replace", Path: "/spec/grant", Value: one.Grant},
	}
	written := one.Record.DeepCopy()
	if err := r.Client.Patch(ctx, written, patch, client.FieldOwner(FieldOwner)); err != nil {
		return nil, fmt.Errorf("granting MachineRemediation %s a slot: %w", one.Record.Name, err)
	}
	return written, nil
}

// mayBeWritten reports whether a failed write may have taken effect: if the answer was lost, only time can tell.
func mayBeWritten(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) ||
		apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err) || apierrors.IsInternalError(err) ||
		apierrors.IsServiceUnavailable(err) || apierrors.IsUnexpectedServerError(err)
}
