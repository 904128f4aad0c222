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
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

const (
	// tellMachine names in events what is not decided, and holds up nothing.
	tellMachine = "TellMachine"
	// tellAgain is how soon that is tried again.
	tellAgain = 30 * time.Second
)

// atRest sees to what is left when there is nothing to do: to tell how it stands.
func (r *Reconciler) atRest(ctx context.Context, request *v1alpha1.RebootRemediation, v view, d cycle.Decision) cycle.Decision {
	if again := r.Clock.Now().Add(tellAgain); r.mirror(ctx, request, v) != nil && (d.RecheckAt.IsZero() || again.Before(d.RecheckAt)) {
		d.RecheckAt = again
	}
	return d
}

// mirror tells progress on the Machine, as Cluster API's contract for remediation requests has it: the one who creates
// the request says that it waits, and the rest is ours to say. What the Machine says is compared with what it is to say
// whenever there is nothing else to do, so it comes right in the end. The error is why it is not right yet; a conflict is
// one with a change of the Machine just now.
func (r *Reconciler) mirror(ctx context.Context, request *v1alpha1.RebootRemediation, v view) error {
	m, want := mirrorOf(request, v), progressOf(request)
	if m == nil || want == nil {
		return nil
	}
	if has := meta.FindStatusCondition(m.Status.Conditions, want.Type); has != nil &&
		has.Status == want.Status && has.Reason == want.Reason && has.Message == want.Message {
		r.failures.Succeed(client.ObjectKeyFromObject(request), tellMachine)
		return nil
	}
	err := r.tell(ctx, m, want)
	if err != nil && r.failed(request, tellMachine, err) {
		ctrl.LoggerFrom(ctx).Error(err, "Cannot tell progress on the Machine")
	}
	return err
}

// mirrorOf is the Machine to tell; nil if there is none that expects it. Another one of that name has nothing to do with this.
func mirrorOf(request *v1alpha1.RebootRemediation, v view) *clusterv1.Machine {
	if by := request.Spec.RequestedBy; by != nil && by.Kind == v1alpha1.RequestedByRecord {
		return nil
	}
	if v.machine == nil || has(request, ByAnnotation) || v.machine.object.GetUID() != request.Status.MachineUID {
		return nil
	}
	m, _ := v.machine.object.(*clusterv1.Machine)
	return m
}

// progressOf is what a Machine is told; nil as long as there is nothing to tell.
func progressOf(request *v1alpha1.RebootRemediation) *metav1.Condition {
	progress := meta.FindStatusCondition(request.Status.Conditions, v1alpha1.ConditionSucceeded)
	if progress == nil {
		return nil
	}
	told := *progress
	// The generation is that of the request.
	told.Type, told.ObservedGeneration = clusterv1.MachineExternallyRemediatedCondition, 0
	if told.Status != metav1.ConditionTrue {
		told.Status = metav1.ConditionFalse
	}
	return &told
}

func (r *Reconciler) tell(ctx context.Context, m *clusterv1.Machine, progress *metav1.Condition) error {
	// Then m has the version of this write: what is written to the Machine next is not refused on account of it.
	if err := ownwrites.ApplyCondition(ctx, r.Client, FieldOwner, m, *progress); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("telling progress on machine %s: %w", client.ObjectKeyFromObject(m), err)
	}
	return nil
}
