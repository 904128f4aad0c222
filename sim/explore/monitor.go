package explore

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/managed"
	"github.com/sickbay-dev/sickbay/internal/remediation"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/status"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
)

// monitor judges each write by what is true.
type monitor struct {
	w *world
	// effects counts the side effects of each operation.
	effects map[string]int
	// lost are the operations of which somebody else has taken away what they asked for.
	lost map[string]bool
	// deleted are the machines that we have deleted, by UID.
	deleted map[types.UID]bool
	// stops says how long each record was stopped while somebody looked.
	stops map[types.UID]*stop
	// closedSince is since when the gate has been closed; zero if it is open.
	closedSince time.Time
	// tick counts what has changed, and closedTick says when the gate was closed.
	tick, closedTick int
}

func newMonitor(w *world) *monitor {
	return &monitor{w: w, effects: map[string]int{}, lost: map[string]bool{}, deleted: map[types.UID]bool{}, stops: map[types.UID]*stop{}}
}

// committed judges a change.
func (m *monitor) committed(change apimodel.Change) {
	m.watchGate()
	switch change.Kind {
	case machineKind:
		m.machineChanged(change)
	case recordKind:
		m.recordChanged(change)
	case requestKind, rebootKind:
		m.requestChanged(change)
	case healthCheckKind:
		m.writtenBy(machinehealthcheck.ControllerName, change)
	default:
		m.writtenBy("nobody", change)
	}
}

// writtenBy holds for what only one controller may write.
func (m *monitor) writtenBy(controller string, change apimodel.Change) {
	if p := m.w.writer; p != nil && p.turn.item.controller != controller {
		m.w.fail(ruleWriter, "%s has written %s %s", p.turn.item.controller, change.Kind.Kind, change.Key.Name)
	}
}

// machineChanged finds out what was done to a Machine.
func (m *monitor) machineChanged(change apimodel.Change) {
	before, after := as[*clusterv1.Machine](change.Before), as[*clusterv1.Machine](change.After)
	p := m.w.writer
	if p == nil {
		m.takenAway(before, after)
		return
	}
	if before == nil {
		m.w.fail(ruleWriter, "%s has made machine %s", p.turn.item.controller, after.Name)
		return
	}
	if p.turn.item.controller == machinehealth.ControllerName {
		m.verdictWritten(before, after)
		return
	}
	m.writtenBy(remediation.ControllerName, change)
	m.repaired(p, before, after)
	if said(before, machinehealth.ConditionType) != saidOr(after, before, machinehealth.ConditionType) {
		m.w.fail(ruleWriter, "%s has changed the verdict on %s", p.turn.item.controller, before.Name)
	}
}

// repaired finds out what a process has asked for, or taken back, on a Machine.
func (m *monitor) repaired(p *process, before, after *clusterv1.Machine) {
	switch {
	case after == nil || before.DeletionTimestamp.IsZero() != after.DeletionTimestamp.IsZero():
		m.deleted[before.UID] = true
		m.acts(p, before, "deletes")
	case !markStands(before) && markStands(after):
		m.acts(p, before, "marks")
	case markStands(before) && !markStands(after):
		m.withdraws(p, before, "the mark")
	case rebootAsked(before) == "" && rebootAsked(after) != "":
		m.acts(p, before, "asks for a power cycle of")
	case rebootAsked(before) != "" && rebootAsked(after) == "":
		m.withdraws(p, before, "the power cycle")
	}
}

func saidOr(machine, otherwise *clusterv1.Machine, conditionType string) [3]string {
	if machine == nil {
		machine = otherwise
	}
	return said(machine, conditionType)
}

// verdictWritten holds for the one controller that gives verdicts. It may take away a mark of the version before.
func (m *monitor) verdictWritten(before, after *clusterv1.Machine) {
	if after == nil || before.DeletionTimestamp.IsZero() != after.DeletionTimestamp.IsZero() || rebootAsked(before) != rebootAsked(after) ||
		(!markStands(before) && markStands(after)) {
		m.w.fail(ruleWriter, "%s has done more to %s than judge it", machinehealth.ControllerName, before.Name)
	}
}

// takenAway notes what somebody takes away that an attempt has asked for.
func (m *monitor) takenAway(before, after *clusterv1.Machine) {
	if before == nil {
		return
	}
	if after == nil || (markStands(before) && !markStands(after)) || (rebootAsked(before) != "" && rebootAsked(after) == "") {
		if r := m.openRecord(before.UID); r != nil {
			m.lost[operationOf(r)] = true
		}
	}
}

// markStands reports whether a Machine is left to its owner.
func markStands(machine *clusterv1.Machine) bool {
	return machine != nil && said(machine, clusterv1.MachineOwnerRemediatedCondition)[0] == "False"
}

// ourMark reports whether the mark on a Machine is Sickbay's, and its owner has not begun.
func ourMark(machine *clusterv1.Machine) bool {
	return markStands(machine) &&
		said(machine, clusterv1.MachineOwnerRemediatedCondition)[1] != clusterv1.MachineSetMachineRemediationMachineDeletingReason &&
		(managed.Wrote(machine, clusterv1.MachineOwnerRemediatedCondition, remedy.FieldOwner) ||
			managed.Wrote(machine, clusterv1.MachineOwnerRemediatedCondition, status.OwnerRemediatedFieldOwner))
}

// rebootAsked is what Sickbay asks for by annotation; empty if it asks for nothing.
func rebootAsked(machine *clusterv1.Machine) string {
	value := machine.GetAnnotations()[remedy.RebootAnnotation]
	if machine == nil || value == "" || value != machine.Annotations[remedy.RebootOperationAnnotation] {
		return ""
	}
	return value
}

// openRecord is the open record of a machine as it is now; nil if there is none.
func (m *monitor) openRecord(uid types.UID) *v1alpha1.MachineRemediation {
	for _, r := range every[*v1alpha1.MachineRemediation](m.w, recordKind) {
		if r.Spec.MachineRef.UID == uid && r.Status.CompletionTime == nil {
			return r
		}
	}
	return nil
}

// hadRecord reports whether a machine has, or had, a record.
func (m *monitor) hadRecord(uid types.UID) bool {
	for _, r := range every[*v1alpha1.MachineRemediation](m.w, recordKind) {
		if r.Spec.MachineRef.UID == uid {
			return true
		}
	}
	return false
}
