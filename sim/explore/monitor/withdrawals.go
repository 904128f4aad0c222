package monitor

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// withdraws judges a withdrawal: the record must already say that the attempt is over. What a former leader marks late all the same is withdrawn again.
func (m *Monitor) withdraws(p *history.Process, machine *clusterv1.Machine, what, operation string) {
	what = fmt.Sprintf("%s withdraws %s of %s", p.Name, what, machine.Name)
	r := apimodel.As[*v1alpha1.MachineRemediation](m.w.Server.Latest(kinds.Record, kinds.InNamespace(p.Item.Name)))
	switch {
	case r == nil:
		m.w.Fail(rules.Intent, "%s, and has no record", what)
	case r.Spec.MachineRef.UID != machine.UID:
		m.w.Fail(rules.Bound, "%s, which is not the machine of record %s", what, r.Name)
	case isOf(r, operation) && m.w.Former == nil:
		m.w.Fail(rules.Intent, "%s, and record %s does not say that the attempt is over", what, r.Name)
	case m.w.Former != nil && operation == "" && ladder.Last(&r.Status) != nil:
		// The write of a former leader may be under way since before the mark. Nothing on the Machine says that it was there.
		m.lost[ladder.Last(&r.Status).OperationID] = true
	}
}

// isOf reports whether what has been withdrawn may be of the attempt at work: a mark, without an operation, or a request. What an earlier
// attempt has left is withdrawn beside it.
func isOf(r *v1alpha1.MachineRemediation, operation string) bool {
	attempt := ladder.AtWork(r)
	if attempt == nil {
		return false
	}
	return operation == attempt.OperationID || (operation == "" && stepOf(r).Action == v1alpha1.ActionReplace)
}

// requestChanged judges the creation and withdrawal of requests.
func (m *Monitor) requestChanged(change apimodel.Change) {
	p := m.w.Writer
	if p == nil {
		if change.After == nil {
			m.lost[change.Before.Typed().GetAnnotations()[v1alpha1.OperationAnnotation]] = true
		}
		return
	}
	m.writtenBy(remediation.ControllerName, change)
	m.asked(p, change)
}

// rebootChanged judges the creation and withdrawal of power cycles, and how they are carried out.
func (m *Monitor) rebootChanged(change apimodel.Change) {
	before, after := apimodel.As[*v1alpha1.RebootRemediation](change.Before), apimodel.As[*v1alpha1.RebootRemediation](change.After)
	p, deleted := m.w.Writer, isDeletion(before, after)
	switch {
	case p != nil && before != nil && !reboot.IsCycle(before):
		m.writtenBy(intake.ControllerName, change)
	case p == nil && deleted:
		m.lost[before.Annotations[v1alpha1.OperationAnnotation]] = true
	case p == nil:
	case before == nil || deleted:
		m.writtenBy(remediation.ControllerName, change)
		if deleted {
			change.After = nil
		}
		m.asked(p, change)
	default:
		m.writtenBy(reboot.ControllerName, change)
		m.cycleWritten(before, after)
	}
}

// isDeletion reports whether somebody deletes a RebootRemediation, which may stay for its finalizers.
func isDeletion(before, after *v1alpha1.RebootRemediation) bool {
	return before != nil && before.DeletionTimestamp.IsZero() && (after == nil || !after.DeletionTimestamp.IsZero())
}

// asked judges a request that a process has made or withdrawn.
func (m *Monitor) asked(p *history.Process, change apimodel.Change) {
	obj := change.After
	if obj == nil {
		obj = change.Before
	}
	machine := m.machineOf(p, obj.Typed())
	switch {
	case machine == nil:
	case change.Before == nil:
		m.acts(p, machine, "makes a request for")
	case change.After == nil:
		m.withdraws(p, machine, "the request", obj.Typed().GetAnnotations()[v1alpha1.OperationAnnotation])
	}
}

// machineOf returns the machine of the record that a process works on; nil if it is gone, or if the request is for another machine. The
// record may be gone by now: a person who deletes it need not wait for a former leader, which has just read it.
func (m *Monitor) machineOf(p *history.Process, request client.Object) *clusterv1.Machine {
	r := apimodel.As[*v1alpha1.MachineRemediation](m.w.Server.Latest(kinds.Record, kinds.InNamespace(p.Item.Name)))
	if r == nil && p == m.w.Former {
		r = looked[*v1alpha1.MachineRemediation](m.turns[p], kinds.Record, p.Item.Name)
	}
	if r == nil {
		m.w.Fail(rules.Intent, "%s has made or deleted %s without a record", p.Name, request.GetName())
		return nil
	}
	machine := history.Latest[*clusterv1.Machine](m.w, kinds.Machine, r.Spec.MachineRef.Name)
	if machine != nil && machine.UID != r.Spec.MachineRef.UID && ownedBy(request, r.Spec.MachineRef.UID, r.UID) {
		return nil
	}
	return machine
}

func ownedBy(obj client.Object, uids ...types.UID) bool {
	return slices.ContainsFunc(obj.GetOwnerReferences(), func(owner metav1.OwnerReference) bool { return slices.Contains(uids, owner.UID) })
}
