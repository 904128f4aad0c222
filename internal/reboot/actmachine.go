package reboot

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

const (
	// writeMachine names the write of the progress to the Machine in events. No decision depends on it.
	writeMachine = "WriteMachine"
	// writeRetry is how long to wait before trying it again.
	writeRetry = 30 * time.Second
)

// writeProgressAtRest writes the progress to the Machine when there is nothing else to do.
func (r *Reconciler) writeProgressAtRest(ctx context.Context, request *v1alpha1.RebootRemediation, v view, d cycle.Decision) cycle.Decision {
	if again := r.Clock.Now().Add(writeRetry); r.writeProgress(ctx, request, v) != nil && (d.RecheckAt.IsZero() || again.Before(d.RecheckAt)) {
		d.RecheckAt = again
	}
	return d
}

// writeProgress writes progress to the Machine, as Cluster API's contract for remediation requests demands: the creator of the
// request sets the condition to waiting, and from then on we set it. It compares the condition whenever there is nothing
// else to do, so it becomes right in the end. The error says why it is not right yet; a conflict means that the Machine has
// just changed.
func (r *Reconciler) writeProgress(ctx context.Context, request *v1alpha1.RebootRemediation, v view) error {
	m, want := progressMachine(request, v), progressOf(request)
	if m == nil || want == nil {
		return nil
	}
	if has := meta.FindStatusCondition(m.Status.Conditions, want.Type); has != nil &&
		has.Status == want.Status && has.Reason == want.Reason && has.Message == want.Message {
		r.failures.Succeed(client.ObjectKeyFromObject(request), writeMachine)
		return nil
	}
	err := r.applyProgress(ctx, m, want)
	if err != nil && r.reportFailure(request, writeMachine, err) {
		ctrl.LoggerFrom(ctx).Error(err, "Cannot write progress to the Machine")
	}
	return err
}

// progressMachine returns the Machine to write progress to; nil if none expects it. Another Machine of that name is not concerned.
func progressMachine(request *v1alpha1.RebootRemediation, v view) *clusterv1.Machine {
	if by := request.Spec.RequestedBy; by != nil && by.Kind == v1alpha1.RequestedByRecord {
		return nil
	}
	if v.machine == nil || mhcspec.HasAnnotation(request, ByAnnotation) || v.machine.object.GetUID() != request.Status.MachineUID {
		return nil
	}
	m, _ := v.machine.object.(*clusterv1.Machine)
	return m
}

// progressOf returns the condition for the Machine; nil if there is no progress yet.
func progressOf(request *v1alpha1.RebootRemediation) *metav1.Condition {
	progress := meta.FindStatusCondition(request.Status.Conditions, v1alpha1.ConditionSucceeded)
	if progress == nil {
		return nil
	}
	condition := *progress
	// The observed generation was of the request, not of the Machine.
	condition.Type, condition.ObservedGeneration = clusterv1.MachineExternallyRemediatedCondition, 0
	if condition.Status != metav1.ConditionTrue {
		condition.Status = metav1.ConditionFalse
	}
	return &condition
}

func (r *Reconciler) applyProgress(ctx context.Context, m *clusterv1.Machine, progress *metav1.Condition) error {
	// m gets the version of this write, so the next write to the Machine does not conflict with it.
	if err := ownwrites.ApplyCondition(ctx, r.Client, FieldOwner, m, *progress); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("writing progress to machine %s: %w", client.ObjectKeyFromObject(m), err)
	}
	return nil
}
