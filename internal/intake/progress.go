package intake

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// showProgress shows the progress of a health check's request on the Machine, as Cluster API's contract for such requests demands: its controller
// sets the condition to waiting, and from then on we set it. Nobody removes it but us, once the request is gone and its record has ended.
func (w writer) showProgress(ctx context.Context, v observation) error {
	if v.machine == nil {
		return nil
	}
	want, has := progressOf(v), meta.FindStatusCondition(v.machine.Status.Conditions, clusterv1.MachineExternallyRemediatedCondition)
	if want == nil || v.facts.Drains {
		return w.removeProgress(ctx, v)
	}
	if has != nil && has.Status == want.Status && has.Reason == want.Reason && has.Message == want.Message {
		return nil
	}
	if err := ownwrites.ApplyCondition(ctx, w.Client, FieldOwner, v.machine, *want); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("showing progress on machine %s: %w", client.ObjectKeyFromObject(v.machine), err)
	}
	return nil
}

// removeProgress removes what says that somebody is at work, if we have set it and nobody is.
func (w writer) removeProgress(ctx context.Context, v observation) error {
	if !w.reads.left(v.machine) || v.facts.OfHealthCheck() && !v.facts.Drains {
		return nil
	}
	i := slices.IndexFunc(v.machine.Status.Conditions, func(c metav1.Condition) bool { return c.Type == clusterv1.MachineExternallyRemediatedCondition })
	path := fmt.Sprintf("/status/conditions/%d", i)
	patched := &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: v.machine.Namespace, Name: v.machine.Name}}
	err := w.Status().Patch(ctx, patched, ownwrites.JSONPatch{
		ownwrites.TestUID(v.machine), ownwrites.Test(path+"/type", clusterv1.MachineExternallyRemediatedCondition),
		ownwrites.Test(path+"/status", v.machine.Status.Conditions[i].Status), ownwrites.Test(path+"/reason", v.machine.Status.Conditions[i].Reason), ownwrites.Remove(path),
	}, client.FieldOwner(FieldOwner))
	switch {
	case ownwrites.TestFailed(err):
		return remedy.ErrChanged
	case client.IgnoreNotFound(err) != nil:
		return fmt.Errorf("removing the progress from machine %s: %w", client.ObjectKeyFromObject(v.machine), err)
	}
	return nil
}

// left reports whether a Machine still has our condition that a health check's request is not done; when Sickbay drains, whatever the condition says.
func (r reader) left(machine *clusterv1.Machine) bool {
	progress := meta.FindStatusCondition(machine.Status.Conditions, clusterv1.MachineExternallyRemediatedCondition)
	return progress != nil && (progress.Status == metav1.ConditionFalse || r.drains) && ownwrites.Wrote(machine, progress.Type, FieldOwner)
}

// progressOf returns what to show on the Machine; nil if no health check of Cluster API has asked.
func progressOf(v observation) *metav1.Condition {
	ref := v.facts.Machine.Ref
	for _, request := range v.facts.Requests {
		answer := meta.FindStatusCondition(request.Status.Conditions, v1alpha1.ConditionSucceeded)
		if answer == nil || ref.APIGroup != ClusterAPIKind.Group || !ask.OfHealthCheck(request, ref) {
			continue
		}
		condition := *answer
		condition.Type, condition.ObservedGeneration = clusterv1.MachineExternallyRemediatedCondition, 0
		if condition.Status != metav1.ConditionTrue {
			condition.Status = metav1.ConditionFalse
		}
		return &condition
	}
	return nil
}
