package explore

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/remediation"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// Plants are all bugs that can be planted: at least one for each rule, and the five that were there before records were.
var Plants = []*Plant{
	{
		Name: "names that differ", Seed: 77, World: plantWorld(OwnerReplaces, 2, Overlap, Caches), Rules: []string{ruleOneRecord, ruleOnce, ruleSlots},
		About:  "the name of a record is another one each time, so it does not keep a second one from being made",
		change: recordsNamedAnew,
	},
	{
		Name: "old node", Seed: 61, World: plantWorld(OwnerReplaces, 2, Nodes, Caches), Rules: []string{ruleHealth},
		About:  "a live read of a Node answers what the cache shows",
		change: func(_ *process, with parts) parts { with.nodes = cachedNodes{with.nodes}; return with },
	},
	{
		Name: "brake", Seed: 12, World: plantWorld(OwnerReplaces, 2, Pauses, Caches), Rules: []string{rulePermission},
		About:  "live reads of the MachineHealthCheck and the Cluster answer what the cache shows, so a pause comes too late",
		change: brakeFails,
	},
	{
		Name: "gate", Seed: 233, World: gateWorld(Nodes, Clock), Rules: []string{ruleGate},
		About: "nobody looks at the gate again before an act",
		change: func(_ *process, with parts) parts {
			with.gate = func(g remediation.Gate) remediation.Gate { return openGate{g} }
			return with
		},
	},
	{
		Name: "counts of then", Seed: 351, World: gateWorld(Nodes, Clock), Rules: []string{ruleGate},
		About:  "machines are counted by their stored verdicts, not by how they are now",
		change: func(p *process, with parts) parts { with.nodes = storedNodes{with.nodes, p}; return with },
	},
	{
		Name: "no intent", World: plantWorld(OwnerSilent, 1, Faults), Rules: []string{ruleIntent},
		About:  "that an attempt begins is not stored",
		change: intentLost,
	},
	{
		Name: "asks again", World: rebootWorld(Faults), Rules: []string{ruleOnce},
		About:  "a Machine does not remember which power cycle was asked for",
		change: func(_ *process, with parts) parts { return dropsOps(with, remedyOperation) },
	},
	{
		Name: "budget", Seed: 139, World: plantWorld(OwnerReplaces, 1, Faults, Overlap), Rules: []string{ruleSlots},
		About: "slots are not counted once more before an act",
		change: func(_ *process, with parts) parts {
			with.gate = func(g remediation.Gate) remediation.Gate { return boundless{g} }
			return with
		},
	},
	{
		Name: "unbound", Seed: 155, World: plantWorld(OwnerNone, 1, Person), Rules: []string{ruleBound},
		About:  "writes on Machines are not bound to their UID",
		change: unbound,
	},
	{
		Name: "kept slot", World: soonOver(plantWorld(OwnerSilent, 1, Faults)), Rules: []string{ruleStarved},
		About:  "a mark that no owner answers keeps its slot for ever",
		change: func(_ *process, with parts) parts { return storing(with, keepsSlot) },
	},
	{
		Name: "no step back", World: soonOver(stubbornWorld()), Rules: []string{ruleStarved, ruleReason, ruleRest},
		About:  "an act that fails is tried again and again, and keeps the slot",
		change: func(_ *process, with parts) parts { return storing(with, neverStepsBack) },
	},
	{
		Name: "done is done", World: rebootWorld(Faults), Rules: []string{ruleHealth, ruleEnd, ruleReason},
		About:  "a record whose steps are used up ends, although the machine is sick",
		change: func(p *process, with parts) parts { return storing(with, endsHeld(p.w.clock)) },
	},
	{
		Name: "blind to deletion", World: plantWorld(OwnerReplaces, 1, Faults), Rules: []string{ruleReplaced},
		About:  "a Machine that is being deleted counts as gone",
		change: blindToDeletion,
	},
	{
		Name: "request forgotten", Seed: 24, World: requestWorld(Person), Rules: []string{ruleUndo},
		About:  "a request is forgotten when the templateRef changes",
		change: requestForgotten,
	},
	{
		Name: "clock runs", World: requestsInVain(Pauses, Clock), Rules: []string{ruleClock},
		About:  "the clock of an attempt runs on while everything is paused",
		change: func(_ *process, with parts) parts { return storing(with, clockRuns) },
	},
	{
		Name: "deaf", Seed: 354, World: plantWorld(OwnerReplaces, 1, Person), Rules: []string{ruleDecision},
		About:  "what a person has decided is not read",
		change: deaf,
	},
	{
		Name: "left behind", World: leftWorld(Nodes), Rules: []string{ruleUndo, ruleRecovery},
		About:  "nobody finds out who has set a mark, so that of the version before is left where it is",
		change: anonymous,
	},
	{
		Name: "no probation", World: planWorld(onePower(300), Faults), Rules: []string{ruleProven},
		About:  "a machine counts as repaired as soon as it is healthy, whatever the plan says",
		change: func(p *process, with parts) parts { return storing(with, noProbation(p.w.clock)) },
	},
	{
		Name: "no memory", World: planWorld(onePower(0), Nodes), Rules: []string{ruleMemory},
		About:  "a relapse begins at the first step again",
		change: noMemory,
	},
	{
		Name: "approves itself", World: planWorld(replaceOnApproval(), Faults), Rules: []string{ruleDecision},
		About:  "an attempt that waits for a person seems to be approved",
		change: approvesItself,
	},
	{
		Name: "marks again", Seed: 10, World: plantWorld(OwnerSilent, 2, Person), Rules: []string{ruleOnce},
		About:  "what a person has taken away is asked for again in the same attempt",
		change: forgetsActs,
	},
}

// PlantNamed returns a plant; nil for no name.
func PlantNamed(name string) (*Plant, error) {
	if name == "" {
		return nil, nil
	}
	for _, plant := range Plants {
		if plant.Name == name {
			return plant, nil
		}
	}
	return nil, fmt.Errorf("there is no planted bug %q", name)
}

func recordsNamedAnew(p *process, with parts) parts {
	return withFuncs(with, interceptor.Funcs{Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
		if _, ok := obj.(*v1alpha1.MachineRemediation); ok {
			obj.SetName(fmt.Sprintf("%s-%d", obj.GetName(), p.w.server.Version()))
		}
		return c.Create(ctx, obj, opts...)
	}})
}

// cachedNodes read live, and answer from the cache.
type cachedNodes struct{ workload.Nodes }

// GetLive implements workload.Nodes.
func (n cachedNodes) GetLive(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	node, err := n.Nodes.GetLive(ctx, cluster, name)
	if old, found := n.Get(ctx, cluster, name); found == nil && err == nil {
		return old, nil
	}
	return node, err
}

// storedNodes show in the cache what the stored verdicts say.
type storedNodes struct {
	workload.Nodes
	p *process
}

// Get implements workload.Nodes.
func (n storedNodes) Get(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	node, err := n.Nodes.Get(ctx, cluster, name)
	if err != nil || n.p.turn.item.controller == machinehealth.ControllerName {
		return node, err
	}
	for _, m := range every[*clusterv1.Machine](n.p.w, machineKind) {
		if m.Status.NodeRef.Name == name && said(m, machinehealth.ConditionType)[0] == "True" {
			return build.Node(name), nil
		}
	}
	return node, err
}

func brakeFails(_ *process, with parts) parts {
	cache := with.client
	return liveGet(with, func(ctx context.Context, key client.ObjectKey, obj client.Object, err error) error {
		switch obj.(type) {
		case *clusterv1.MachineHealthCheck, *clusterv1.Cluster:
			return cache.Get(ctx, key, obj)
		}
		return err
	})
}

type openGate struct{ remediation.Gate }

// GateClosed implements remediation.Gate.
func (openGate) GateClosed(context.Context, *clusterv1.MachineHealthCheck, *clusterv1.Cluster, bool) (string, error) {
	return "", nil
}

type boundless struct{ remediation.Gate }

// OverBudget implements remediation.Gate.
func (boundless) OverBudget(context.Context, *clusterv1.MachineHealthCheck, *clusterv1.Cluster, *v1alpha1.MachineRemediation) (string, error) {
	return "", nil
}

// storing changes the status of a record before it is stored. What store reports false about is not stored, and seems to be.
func storing(with parts, change func(stored, next *v1alpha1.MachineRemediation) error) parts {
	live := with.live
	return withFuncs(with, interceptor.Funcs{SubResourceUpdate: func(ctx context.Context, c client.Client, name string, obj client.Object, opts ...client.SubResourceUpdateOption) error {
		next, ok := obj.(*v1alpha1.MachineRemediation)
		if !ok {
			return c.SubResource(name).Update(ctx, obj, opts...)
		}
		stored := &v1alpha1.MachineRemediation{}
		if err := live.Get(ctx, client.ObjectKeyFromObject(next), stored); err != nil {
			return err
		}
		if err := change(stored, next); err != nil {
			return err
		}
		return c.Status().Update(ctx, obj, opts...)
	}})
}

// intentLost keeps the beginning of an attempt in the memory of the process, and stores it with what comes next.
func intentLost(_ *process, with parts) parts {
	kept := map[types.UID]*v1alpha1.MachineRemediation{}
	with = reading(with, func(_ context.Context, _ client.ObjectKey, obj client.Object, err error) error {
		r, ok := obj.(*v1alpha1.MachineRemediation)
		if ok && err == nil && kept[r.UID] != nil {
			r.Status = *kept[r.UID].Status.DeepCopy()
		}
		return err
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

// remedyOperation is whatever keeps a power cycle from being asked for twice.
func remedyOperation(_, path string) bool {
	return strings.Contains(path, strings.ReplaceAll(remedy.RebootOperationAnnotation, "/", "~1"))
}

func dropsOps(with parts, drop func(op, path string) bool) parts {
	return withFuncs(with, interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			return c.Patch(ctx, obj, withoutOps(patch, obj, drop), opts...)
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, _ string, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			return c.Status().Patch(ctx, obj, withoutOps(patch, obj, drop), opts...)
		},
	})
}

func unbound(_ *process, with parts) parts {
	with = dropsOps(with, func(op, path string) bool { return op == "test" && path == "/metadata/uid" })
	return withFuncs(with, interceptor.Funcs{Delete: func(ctx context.Context, c client.WithWatch, obj client.Object, _ ...client.DeleteOption) error {
		return c.Delete(ctx, obj)
	}})
}

func keepsSlot(stored, next *v1alpha1.MachineRemediation) error {
	if next.Status.CompletionTime == nil {
		next.Status.ReleasedGrant = stored.Status.ReleasedGrant
	}
	return nil
}

func neverStepsBack(stored, next *v1alpha1.MachineRemediation) error {
	if next.Status.ReleasedGrant > stored.Status.ReleasedGrant && next.Status.CompletionTime == nil {
		return apierrors.NewConflict(v1alpha1.GroupVersion.WithResource("machineremediations").GroupResource(), next.Name, errNoAnswer)
	}
	return nil
}

func endsHeld(clock *hands) func(_, next *v1alpha1.MachineRemediation) error {
	return func(_, next *v1alpha1.MachineRemediation) error {
		if next.Status.Phase != v1alpha1.RemediationHeld {
			return nil
		}
		now := metav1.NewTime(clock.now)
		next.Status.Phase, next.Status.RecoveryTime, next.Status.CompletionTime = v1alpha1.RemediationEnded, &now, &now
		meta.SetStatusCondition(&next.Status.Conditions, metav1.Condition{
			Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonRecovered, LastTransitionTime: now,
		})
		return nil
	}
}

// clockRuns leaves the deadline of an attempt as it was before a pause.
func clockRuns(stored, next *v1alpha1.MachineRemediation) error {
	if stored.Status.StoppedTime != nil && next.Status.StoppedTime == nil && next.Status.NextTransitionTime != nil {
		next.Status.NextTransitionTime = stored.Status.NextTransitionTime
	}
	return nil
}

// blindToDeletion hides Machines that are being deleted.
func blindToDeletion(_ *process, with parts) parts {
	hide := func(_ context.Context, key client.ObjectKey, obj client.Object, err error) error {
		if _, ok := obj.(*clusterv1.Machine); ok && err == nil && !obj.GetDeletionTimestamp().IsZero() {
			return apierrors.NewNotFound(clusterv1.GroupVersion.WithResource("machines").GroupResource(), key.Name)
		}
		return err
	}
	return reading(with, hide)
}

// reading changes what reads of one object answer, from the cache and live.
func reading(with parts, change func(ctx context.Context, key client.ObjectKey, obj client.Object, err error) error) parts {
	with = liveGet(with, change)
	return withFuncs(with, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
		return change(ctx, key, obj, c.Get(ctx, key, obj, opts...))
	}})
}

// requestForgotten hides requests of a kind that the MachineHealthCheck does not name.
func requestForgotten(p *process, with parts) parts {
	return liveGet(with, func(_ context.Context, key client.ObjectKey, obj client.Object, err error) error {
		u, ok := obj.(*unstructured.Unstructured)
		if !ok || u.GetKind() != requestKind.Kind {
			return err
		}
		mhc := latest[*clusterv1.MachineHealthCheck](p.w, healthCheckKind, checkName)
		if mhc != nil && mhc.Spec.Remediation.TemplateRef.IsDefined() {
			return err
		}
		return apierrors.NewNotFound(schema.GroupResource{Group: requestKind.Group, Resource: requestKind.Kind}, key.Name)
	})
}

// deaf hides decisions.
func deaf(_ *process, with parts) parts {
	return reading(with, func(_ context.Context, _ client.ObjectKey, obj client.Object, err error) error {
		if r, ok := obj.(*v1alpha1.MachineRemediation); ok && err == nil {
			r.Spec.Decision = nil
		}
		return err
	})
}

// anonymous hides who has written what on Machines.
func anonymous(_ *process, with parts) parts {
	with = reading(with, func(_ context.Context, _ client.ObjectKey, obj client.Object, err error) error {
		if m, ok := obj.(*clusterv1.Machine); ok && err == nil {
			m.ManagedFields = nil
		}
		return err
	})
	return withFuncs(with, interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
		err := c.List(ctx, list, opts...)
		if machines, ok := list.(*clusterv1.MachineList); ok {
			for i := range machines.Items {
				machines.Items[i].ManagedFields = nil
			}
		}
		return err
	}})
}

// noProbation ends a record as soon as its machine is healthy.
func noProbation(clock *hands) func(_, next *v1alpha1.MachineRemediation) error {
	return func(_, next *v1alpha1.MachineRemediation) error {
		if next.Status.Phase != v1alpha1.RemediationProbation {
			return nil
		}
		now := metav1.NewTime(clock.now)
		next.Status.Phase, next.Status.CompletionTime = v1alpha1.RemediationEnded, &now
		meta.SetStatusCondition(&next.Status.Conditions, metav1.Condition{
			Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonRecovered, LastTransitionTime: now,
		})
		return nil
	}
}

func noMemory(_ *process, with parts) parts {
	return withFuncs(with, interceptor.Funcs{Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
		if r, ok := obj.(*v1alpha1.MachineRemediation); ok {
			r.Spec.StartAt = nil
		}
		return c.Create(ctx, obj, opts...)
	}})
}

// approvesItself shows an approval in every record.
func approvesItself(_ *process, with parts) parts {
	with = reading(with, func(_ context.Context, _ client.ObjectKey, obj client.Object, err error) error {
		if r, ok := obj.(*v1alpha1.MachineRemediation); ok && err == nil {
			r.Spec.Decision = &v1alpha1.RemediationDecision{Attempt: max(1, r.Status.Attempt), Answer: v1alpha1.AnswerApprove}
			r.Spec.Grant = max(1, r.Spec.Grant)
		}
		return err
	})
	return with
}

// forgetsActs hides from a record that its attempt has been carried out.
func forgetsActs(_ *process, with parts) parts {
	return reading(with, func(_ context.Context, _ client.ObjectKey, obj client.Object, err error) error {
		if r, ok := obj.(*v1alpha1.MachineRemediation); ok && err == nil {
			if attempt := ladder.AtWork(r); attempt != nil {
				attempt.ObjectRef = nil
			}
		}
		return err
	})
}
