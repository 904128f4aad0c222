package intake

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// showProgress shows the progress of a health check's request on the Machine, as Cluster API's contract for such requests demands: its controller
// sets the condition to waiting, and from then on we set it.
func (w writer) showProgress(ctx context.Context, v view) error {
	want := progressOf(v)
	if want == nil || v.machine == nil {
		return nil
	}
	has := meta.FindStatusCondition(v.machine.Status.Conditions, want.Type)
	if has != nil && has.Status == want.Status && has.Reason == want.Reason && has.Message == want.Message {
		return nil
	}
	if err := ownwrites.ApplyCondition(ctx, w.Client, FieldOwner, v.machine, *want); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("showing progress on machine %s: %w", client.ObjectKeyFromObject(v.machine), err)
	}
	return nil
}

// progressOf returns what to show on the Machine; nil if no health check of Cluster API has asked.
func progressOf(v view) *metav1.Condition {
	ref := v.facts.Machine.Ref
	for _, request := range v.facts.Requests {
		told := meta.FindStatusCondition(request.Status.Conditions, v1alpha1.ConditionSucceeded)
		if told == nil || ref.APIGroup != ClusterAPIKind.Group || !ask.OfHealthCheck(request, ref) {
			continue
		}
		condition := *told
		condition.Type, condition.ObservedGeneration = clusterv1.MachineExternallyRemediatedCondition, 0
		if condition.Status != metav1.ConditionTrue {
			condition.Status = metav1.ConditionFalse
		}
		return &condition
	}
	return nil
}
