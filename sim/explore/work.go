package explore

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// work is what everybody else has to do just now, by themselves: owners, infrastructure, hosts, providers, the garbage
// collector, and, once everybody means well, a person who decides.
func (w *world) work() []option {
	var options []option
	machines := every[*clusterv1.Machine](w, machineKind)
	for _, m := range machines {
		options = append(options, w.workOn(m)...)
	}
	options = append(options, w.scale(machines)...)
	for _, request := range every[*unstructured.Unstructured](w, requestKind) {
		options = append(options, w.provide(request)...)
	}
	for _, reboot := range every[*v1alpha1.RebootRemediation](w, rebootKind) {
		options = append(options, w.cycle(reboot)...)
	}
	for _, garbage := range w.server.Garbage() {
		obj := garbage.Typed()
		options = append(options, option{"the garbage collector deletes " + obj.GetName(), func() { w.remove(obj) }})
	}
	if w.goodwill {
		options = append(options, w.decideWell()...)
	}
	return options
}

func (w *world) workOn(m *clusterv1.Machine) []option {
	name := m.Name
	switch {
	case !m.DeletionTimestamp.IsZero():
		return []option{{"the infrastructure of " + name + " is torn down", func() { w.tearDown(name) }}}
	case !m.Status.NodeRef.IsDefined():
		return []option{{name + " gets its Node", func() { w.giveNode(name, w.spec.BadImage && !w.goodwill) }}}
	}
	if operation, ok := m.Annotations[remedy.RebootAnnotation]; ok {
		return []option{{"the host of " + name + " is cycled", func() { w.powerCycle(name, operation) }}}
	}
	if w.ownerAnswers(m) {
		return []option{{"the owner answers the mark of " + name, func() { w.answer(name) }}}
	}
	return nil
}

// tearDown ends a Machine that is being deleted, and its Node.
func (w *world) tearDown(name string) {
	if node := w.server.Latest(nodeKind, client.ObjectKey{Name: nodeOf(name)}); node != nil {
		w.remove(node.Typed())
	}
	update(w, machineKind, name, false, func(m *clusterv1.Machine) { m.Finalizers = nil })
}

// remove deletes an object as somebody does who is no manager.
func (w *world) remove(obj client.Object) {
	before := w.writer
	w.writer = nil
	defer func() { w.writer = before }()
	w.must(client.IgnoreNotFound(w.admin.Delete(context.Background(), obj)))
}

// ownerAnswers reports whether the owner of a machine has something to say about its mark. Owners act on the verdict and the
// mark together.
func (w *world) ownerAnswers(m *clusterv1.Machine) bool {
	verdict := said(m, machinehealth.ConditionType)
	mark := said(m, clusterv1.MachineOwnerRemediatedCondition)
	if metav1.GetControllerOfNoCopy(m) == nil || verdict[0] != "False" || mark[0] != "False" {
		return false
	}
	switch w.owner() {
	case OwnerReplaces:
		return true
	case OwnerDefers:
		return mark[1] != clusterv1.MachineSetMachineRemediationDeferredReason || w.patient(m)
	case OwnerRefuses:
		return mark[1] != clusterv1.MachineSetMachineCannotBeRemediatedReason
	case OwnerNone, OwnerSilent:
	}
	return false
}

// patient reports whether an owner has deferred for long enough.
func (w *world) patient(m *clusterv1.Machine) bool {
	c := meta.FindStatusCondition(m.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
	return w.clock.now.Sub(c.LastTransitionTime.Time) >= deferred
}

func (w *world) owner() Owner {
	if w.goodwill && w.spec.Owner != OwnerNone {
		return OwnerReplaces
	}
	return w.spec.Owner
}

func (w *world) answer(name string) {
	reason, message := clusterv1.MachineSetMachineRemediationMachineDeletingReason, "Machine is deleting"
	m := latest[*clusterv1.Machine](w, machineKind, name)
	switch {
	case w.owner() == OwnerRefuses:
		reason, message = clusterv1.MachineSetMachineCannotBeRemediatedReason, "It cannot be remediated"
	case w.owner() == OwnerDefers && said(m, clusterv1.MachineOwnerRemediatedCondition)[1] != clusterv1.MachineSetMachineRemediationDeferredReason:
		reason, message = clusterv1.MachineSetMachineRemediationDeferredReason, "Remediation is deferred"
	}
	update(w, machineKind, name, true, func(m *clusterv1.Machine) {
		c := meta.FindStatusCondition(m.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
		c.Reason, c.Message, c.LastTransitionTime = reason, message, metav1.NewTime(w.clock.now)
	})
	if reason == clusterv1.MachineSetMachineRemediationMachineDeletingReason {
		w.remove(latest[*clusterv1.Machine](w, machineKind, name))
	}
}

// scale has the owner make a machine that is missing.
func (w *world) scale(machines []*clusterv1.Machine) []option {
	set := latest[*clusterv1.MachineSet](w, machineSetKind, "set")
	if set == nil {
		return nil
	}
	alive := int32(0)
	for _, m := range machines {
		if m.DeletionTimestamp.IsZero() {
			alive++
		}
	}
	if alive >= *set.Spec.Replicas {
		return nil
	}
	return []option{{"the owner makes another machine", func() { w.newMachine() }}}
}

// powerCycle takes a host off and on again, as the annotation asks, and takes that away.
func (w *world) powerCycle(name, operation string) {
	w.cycled(operation)
	update(w, machineKind, name, false, func(m *clusterv1.Machine) { delete(m.Annotations, remedy.RebootAnnotation) })
	w.heal(name)
}

// cycled counts power cycles by what has asked for them.
func (w *world) cycled(operation string) {
	w.cycles[operation]++
	if w.cycles[operation] > 1 && strings.Contains(operation, "/") {
		w.fail(ruleOnce, "the host was cycled %d times for operation %s", w.cycles[operation], operation)
	}
}

// heal makes a Node healthy on which something was done, unless that is in vain in this world.
func (w *world) heal(machine string) {
	if w.spec.InVain && !w.goodwill {
		return
	}
	if w.server.Latest(nodeKind, client.ObjectKey{Name: nodeOf(machine)}) != nil {
		w.nodeIs(machine, true)
	}
}

// provide has the other controller carry out a remediation request.
func (w *world) provide(request *unstructured.Unstructured) []option {
	if done, _, _ := unstructured.NestedSlice(request.Object, "status", "conditions"); len(done) > 0 {
		return nil
	}
	name := request.GetName()
	return []option{{"the provider carries out request " + name, func() {
		changed := request.DeepCopy()
		state := "True"
		if w.spec.InVain && !w.goodwill {
			state = "False"
		}
		_ = unstructured.SetNestedSlice(changed.Object, []any{map[string]any{"type": v1alpha1.ConditionSucceeded, "status": state, "reason": "Done", "message": ""}}, "status", "conditions")
		w.must(client.IgnoreNotFound(w.admin.Status().Update(context.Background(), changed)))
		w.heal(strings.TrimRight(strings.SplitN(name, "-", 2)[0], "-"))
	}}}
}

// cycle has the reboot controller carry out a RebootRemediation. It begins with none whose record has not stored that it made it.
func (w *world) cycle(reboot *v1alpha1.RebootRemediation) []option {
	if meta.FindStatusCondition(reboot.Status.Conditions, v1alpha1.ConditionSucceeded) != nil || !w.stored(reboot) {
		return nil
	}
	name := reboot.Name
	return []option{{"the host of RebootRemediation " + name + " is cycled", func() {
		w.cycled(reboot.Annotations[v1alpha1.OperationAnnotation])
		state := metav1.ConditionTrue
		if w.spec.InVain && !w.goodwill {
			state = metav1.ConditionFalse
		}
		update(w, rebootKind, name, true, func(r *v1alpha1.RebootRemediation) {
			meta.SetStatusCondition(&r.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionSucceeded, Status: state, Reason: "Done", LastTransitionTime: metav1.NewTime(w.clock.now)})
		})
		w.heal(reboot.Spec.Machine.Name)
	}}}
}

// stored reports whether a record says that its attempt at work has made a RebootRemediation.
func (w *world) stored(reboot *v1alpha1.RebootRemediation) bool {
	if w.plant != nil && w.plant.hasty {
		return true
	}
	return slices.ContainsFunc(every[*v1alpha1.MachineRemediation](w, recordKind), func(r *v1alpha1.MachineRemediation) bool {
		attempt := ladder.AtWork(r)
		return attempt != nil && attempt.ObjectRef != nil && attempt.ObjectRef.UID == reboot.UID
	})
}
