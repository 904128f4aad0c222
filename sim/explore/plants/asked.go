package plants

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// plantsOfAsking break the rules about what was asked for and nobody has begun.
var plantsOfAsking = []*history.Plant{
	{
		Name: "goes past", World: replaceTwice(worlds.OwnerSilent, worlds.Faults), Rule: rules.Escalated,
		About:  "the next step follows a step that nobody has begun",
		Change: storing(goesPast),
	},
	{
		Name: "marked under a pause", World: unfinished(plantWorld(worlds.OwnerDefers, 1, worlds.Pauses)), Rule: rules.Paused,
		About: "a mark cannot be withdrawn while the MachineHealthCheck is paused",
		Change: func(p *history.Process, with history.Parts) history.Parts {
			return keepingMarks(p, with, func(*clusterv1.Machine) bool { return paused(p.World) })
		},
	},
	{
		Name: "marked though healthy", World: unfinished(plantWorld(worlds.OwnerDefers, 1, worlds.Nodes)), Rule: rules.Recovered,
		About: "a mark cannot be withdrawn from a machine that is healthy again",
		Change: func(p *history.Process, with history.Parts) history.Parts {
			return keepingMarks(p, with, func(m *clusterv1.Machine) bool { return history.Said(m, verdict.ConditionType)[0] == "True" })
		},
	},
	{
		Name: "asks for ever", World: unfinished(plantWorld(worlds.OwnerSilent, 1, worlds.Faults)), Rule: rules.Kept,
		About: "an attempt that nobody has begun always seems to have just been asked for",
		Change: func(p *history.Process, with history.Parts) history.Parts {
			return showing(with, func(r *v1alpha1.MachineRemediation) { asksAnew(r, p.Now()) })
		},
	},
	{
		Name: "deaf to deletion", World: unfinished(plantWorld(worlds.OwnerSilent, 2, worlds.Person)), Rule: rules.Effect,
		About:  "nobody sees that a person has deleted a record",
		Change: deafToDeletion,
	},
	{
		Name: "remembers too much", World: replaceTwice(worlds.OwnerDefers, worlds.Nodes, worlds.Clock), Rule: rules.Again,
		About:  "a relapse begins after a step that was only asked for",
		Change: remembersAsking,
	},
}

// replaceTwice returns a world whose plan has two steps that replace the machine.
func replaceTwice(owner worlds.Owner, actors ...worlds.Actor) *worlds.Spec {
	s := planWorld(&v1alpha1.RemediationPlan{
		MaxInFlight: new(intstr.FromInt32(1)), ProbationSeconds: new(int32),
		Steps: []v1alpha1.RemediationStep{worlds.PlanStep("replace", v1alpha1.ActionReplace, 600), worlds.PlanStep("again", v1alpha1.ActionReplace, 600)},
	}, actors...)
	s.Owner, s.Slots = owner, 1
	return unfinished(s)
}

// goesPast goes on with the next step after an attempt that nobody began.
func goesPast(_ *history.Process, _, next *v1alpha1.MachineRemediation) {
	last := ladder.Last(&next.Status)
	if last == nil || last.Result != v1alpha1.ResultNotBegun {
		return
	}
	if step := ladder.StepAfter(next.Spec.Steps, last.Step); step != "" {
		next.Status.Step = step
	}
}

// keepingMarks makes the API server refuse to withdraw some marks.
func keepingMarks(p *history.Process, with history.Parts, which func(*clusterv1.Machine) bool) history.Parts {
	return withFuncs(with, interceptor.Funcs{SubResourcePatch: func(ctx context.Context, c client.Client, _ string, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
		m := history.Latest[*clusterv1.Machine](p.World, kinds.Machine, obj.GetName())
		if _, ok := obj.(*clusterv1.Machine); ok && m != nil && p.Item.Controller == remediation.ControllerName && history.Said(m, clusterv1.MachineOwnerRemediatedCondition)[0] == "False" && which(m) {
			return apierrors.NewInternalError(errors.New("failed calling webhook"))
		}
		return c.Status().Patch(ctx, obj, patch, opts...)
	}})
}

func paused(w *history.World) bool {
	mhc := history.Latest[*clusterv1.MachineHealthCheck](w, kinds.HealthCheck, kinds.CheckName)
	cluster := history.Latest[*clusterv1.Cluster](w, kinds.Cluster, kinds.ClusterName)
	return mhc != nil && len(mhcspec.Paused(mhc, cluster)) > 0
}

// asksAnew shows an attempt that nobody has begun as if it had just been asked for.
func asksAnew(r *v1alpha1.MachineRemediation, now time.Time) {
	if attempt := ladder.AtWork(r); attempt != nil && !attempt.Begun() {
		attempt.StartTime = new(metav1.NewTime(now))
	}
}

// deafToDeletion hides that records are being deleted, also in the answers to writes.
func deafToDeletion(_ *history.Process, with history.Parts) history.Parts {
	with = showing(with, func(r *v1alpha1.MachineRemediation) { r.DeletionTimestamp = nil })
	return withFuncs(with, interceptor.Funcs{SubResourceUpdate: func(ctx context.Context, c client.Client, _ string, obj client.Object, opts ...client.SubResourceUpdateOption) error {
		err := c.Status().Update(ctx, obj, opts...)
		if _, ok := obj.(*v1alpha1.MachineRemediation); ok {
			obj.SetDeletionTimestamp(nil)
		}
		return err
	}})
}

// remembersAsking makes new records begin after the last step that was asked for.
func remembersAsking(p *history.Process, with history.Parts) history.Parts {
	return creating(with, func(r *v1alpha1.MachineRemediation) {
		for _, earlier := range history.Every[*v1alpha1.MachineRemediation](p.World, kinds.Record) {
			if last := ladder.Last(&earlier.Status); earlier.Spec.MachineRef.UID == r.Spec.MachineRef.UID && last != nil && last.ObjectRef != nil {
				r.Spec.StartAt = &v1alpha1.RemediationStart{Step: ladder.StepAfter(r.Spec.Steps, last.Step), Reason: "It was asked for"}
			}
		}
	})
}
