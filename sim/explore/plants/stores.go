package plants

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
)

// storing changes the status of a record before it is stored.
func storing(change func(p *history.Process, stored, next *v1alpha1.MachineRemediation)) func(*history.Process, history.Parts) history.Parts {
	return func(p *history.Process, with history.Parts) history.Parts {
		live := with.Live
		return withFuncs(with, interceptor.Funcs{SubResourceUpdate: func(ctx context.Context, c client.Client, name string, obj client.Object, opts ...client.SubResourceUpdateOption) error {
			next, ok := obj.(*v1alpha1.MachineRemediation)
			if !ok {
				return c.SubResource(name).Update(ctx, obj, opts...)
			}
			stored := &v1alpha1.MachineRemediation{}
			if err := live.Get(ctx, client.ObjectKeyFromObject(next), stored); err != nil {
				return err
			}
			change(p, stored, next)
			return c.Status().Update(ctx, obj, opts...)
		}})
	}
}

// intentLost keeps the beginning of an attempt only in the memory of the process, and stores it with the next
// write.
func intentLost(_ *history.Process, with history.Parts) history.Parts {
	kept := map[types.UID]*v1alpha1.MachineRemediation{}
	with = showing(with, func(r *v1alpha1.MachineRemediation) {
		if kept[r.UID] != nil {
			r.Status = *kept[r.UID].Status.DeepCopy()
		}
	})
	return withFuncs(with, interceptor.Funcs{SubResourceUpdate: func(ctx context.Context, c client.Client, _ string, obj client.Object, opts ...client.SubResourceUpdateOption) error {
		r, ok := obj.(*v1alpha1.MachineRemediation)
		if ok && len(r.Status.Attempts) > 0 {
			if last := r.Status.Attempts[len(r.Status.Attempts)-1]; last.EndTime == nil && last.ObjectRef == nil {
				kept[r.UID] = r.DeepCopy()
				return nil
			}
		}
		if ok {
			delete(kept, r.UID)
		}
		return c.Status().Update(ctx, obj, opts...)
	}})
}

func keepsSlot(_ *history.Process, stored, next *v1alpha1.MachineRemediation) {
	if next.Status.CompletionTime == nil {
		next.Status.ReleasedGrant = stored.Status.ReleasedGrant
	}
}

func endsHeld(p *history.Process, _, next *v1alpha1.MachineRemediation) {
	if next.Status.Phase == v1alpha1.RemediationHeld {
		now := metav1.NewTime(p.World.Now())
		next.Status.RecoveryTime = &now
		endsRecovered(next, now)
	}
}

func endsRecovered(r *v1alpha1.MachineRemediation, now metav1.Time) {
	r.Status.Phase, r.Status.CompletionTime = v1alpha1.RemediationEnded, &now
	meta.SetStatusCondition(&r.Status.Conditions, metav1.Condition{
		Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonRecovered, LastTransitionTime: now,
	})
}

// clockRuns keeps the deadline of an attempt from before a pause.
func clockRuns(_ *history.Process, stored, next *v1alpha1.MachineRemediation) {
	if stored.Status.StoppedTime != nil && next.Status.StoppedTime == nil && next.Status.NextTransitionTime != nil {
		next.Status.NextTransitionTime = stored.Status.NextTransitionTime
	}
}

// noProbation ends a record as soon as its machine is healthy.
func noProbation(p *history.Process, _, next *v1alpha1.MachineRemediation) {
	if next.Status.Phase == v1alpha1.RemediationProbation {
		endsRecovered(next, metav1.NewTime(p.World.Now()))
	}
}

// endsAgain moves the end of each attempt that is over to now.
func endsAgain(p *history.Process, _, next *v1alpha1.MachineRemediation) {
	for i := range next.Status.Attempts {
		if attempt := &next.Status.Attempts[i]; attempt.EndTime != nil {
			attempt.EndTime = new(metav1.NewTime(p.Now()))
		}
	}
}
