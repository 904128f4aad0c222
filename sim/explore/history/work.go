package history

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// work returns what everybody else has to do now: owners, infrastructure, hosts, providers, the garbage collector, and, once
// everybody cooperates, a person who decides.
func (w *World) work() []option {
	var options []option
	machines := Every[*clusterv1.Machine](w, kinds.Machine)
	for _, m := range machines {
		options = append(options, w.workOn(m)...)
	}
	options = append(options, w.scale(machines)...)
	for _, request := range Every[*unstructured.Unstructured](w, kinds.Request) {
		options = append(options, w.provide(request)...)
	}
	options = append(options, w.workOnHosts()...)
	options = append(options, w.checksWithdraw()...)
	for _, garbage := range w.Server.Garbage() {
		obj := garbage.Typed()
		options = append(options, option{"the garbage collector deletes " + obj.GetName(), func() { w.remove(obj) }})
	}
	if w.cooperating {
		options = append(options, w.decideToRepair()...)
	}
	return options
}

func (w *World) workOn(m *clusterv1.Machine) []option {
	name := m.Name
	switch {
	case !m.DeletionTimestamp.IsZero():
		return []option{{"the infrastructure of " + name + " is torn down", func() { w.tearDown(name) }}}
	case !m.Status.NodeRef.IsDefined():
		return []option{{name + " gets its Node", func() { w.giveNode(name, w.Spec.BadImage && !w.cooperating) }}}
	}
	if w.ownerAnswers(m) {
		return []option{{"the owner answers the mark of " + name, func() { w.answer(name) }}}
	}
	return nil
}

// tearDown removes a Machine in deletion, and its Node.
func (w *World) tearDown(name string) {
	if node := w.Server.Latest(kinds.Node, client.ObjectKey{Name: nodeOf(name)}); node != nil {
		w.remove(node.Typed())
	}
	if w.Spec.Metal() {
		w.releaseHost(name)
	}
	update(w, kinds.Machine, name, false, func(m *clusterv1.Machine) { m.Finalizers = nil })
}

// ownerAnswers reports whether the owner of a machine has to answer its mark. Owners act only on the verdict and the mark
// together.
func (w *World) ownerAnswers(m *clusterv1.Machine) bool {
	stored := Said(m, verdict.ConditionType)
	mark := Said(m, clusterv1.MachineOwnerRemediatedCondition)
	if metav1.GetControllerOfNoCopy(m) == nil || stored[0] != "False" || mark[0] != "False" {
		return false
	}
	if w.ownerAway(m, mark[1]) {
		return false
	}
	switch w.owner() {
	case worlds.OwnerReplaces:
		return true
	case worlds.OwnerDefers:
		return mark[1] != clusterv1.MachineSetMachineRemediationDeferredReason || w.waitedEnough(m)
	case worlds.OwnerRefuses:
		return mark[1] != clusterv1.MachineSetMachineCannotBeRemediatedReason
	default:
	}
	return false
}

// ownerAway reports whether the owner does not answer now: it is paused or busy, or has refused.
func (w *World) ownerAway(m *clusterv1.Machine, reason string) bool {
	return w.ownerPaused || w.clock.now.Before(w.busy[m.Name]) || (w.Spec.Has(worlds.Owners) && !w.cooperating && reason == clusterv1.MachineSetMachineCannotBeRemediatedReason)
}

// waitedEnough reports whether an owner has deferred for long enough.
func (w *World) waitedEnough(m *clusterv1.Machine) bool {
	c := meta.FindStatusCondition(m.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
	return w.clock.now.Sub(c.LastTransitionTime.Time) >= Deferred
}

func (w *World) owner() worlds.Owner {
	if w.cooperating && w.Spec.Owner != worlds.OwnerNone {
		return worlds.OwnerReplaces
	}
	return w.Spec.Owner.Acts()
}

func (w *World) answer(name string) {
	reason, message := clusterv1.MachineSetMachineRemediationMachineDeletingReason, "Machine is deleting"
	m := Latest[*clusterv1.Machine](w, kinds.Machine, name)
	switch {
	case w.owner() == worlds.OwnerRefuses:
		reason, message = clusterv1.MachineSetMachineCannotBeRemediatedReason, "It cannot be remediated"
	case w.owner() == worlds.OwnerDefers && Said(m, clusterv1.MachineOwnerRemediatedCondition)[1] != clusterv1.MachineSetMachineRemediationDeferredReason:
		reason, message = clusterv1.MachineSetMachineRemediationDeferredReason, "Remediation is deferred"
	}
	update(w, kinds.Machine, name, true, func(m *clusterv1.Machine) {
		c := meta.FindStatusCondition(m.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
		c.Reason, c.Message, c.LastTransitionTime = reason, message, metav1.NewTime(w.clock.now)
	})
	if reason == clusterv1.MachineSetMachineRemediationMachineDeletingReason {
		w.remove(Latest[*clusterv1.Machine](w, kinds.Machine, name))
	}
}

// scale makes the owner create a missing machine.
func (w *World) scale(machines []*clusterv1.Machine) []option {
	set := Latest[*clusterv1.MachineSet](w, kinds.MachineSet, "set")
	if set == nil {
		return nil
	}
	alive := int32(0)
	for _, m := range machines {
		if m.DeletionTimestamp.IsZero() {
			alive++
		}
	}
	if alive >= *set.Spec.Replicas || (w.ownerPaused && w.Spec.Owner == worlds.OwnerPool) {
		return nil
	}
	return []option{{"the owner makes another machine", func() { w.newMachine() }}}
}

// heal makes a repaired Node healthy, unless repairs are in vain in this world.
func (w *World) heal(machine string) {
	if w.Spec.InVain && !w.cooperating {
		return
	}
	if w.Server.Latest(kinds.Node, client.ObjectKey{Name: nodeOf(machine)}) != nil && w.running(machine) {
		w.nodeIs(machine, true)
	}
}

// provide makes the other controller carry out a remediation request.
func (w *World) provide(request *unstructured.Unstructured) []option {
	if done, _, _ := unstructured.NestedSlice(request.Object, "status", "conditions"); len(done) > 0 {
		return nil
	}
	name := request.GetName()
	return []option{{"the provider carries out request " + name, func() {
		changed := request.DeepCopy()
		state := "True"
		if w.Spec.InVain && !w.cooperating {
			state = "False"
		}
		_ = unstructured.SetNestedSlice(changed.Object, []any{map[string]any{"type": v1alpha1.ConditionSucceeded, "status": state, "reason": "Done", "message": ""}}, "status", "conditions")
		w.must(client.IgnoreNotFound(w.admin.Status().Update(context.Background(), changed)))
		w.heal(strings.TrimRight(strings.SplitN(name, "-", 2)[0], "-"))
	}}}
}
