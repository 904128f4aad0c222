package monitor

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remediation"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// Monitor judges each write by what is true.
type Monitor struct {
	w *history.World
	// turns are what the Reconciles at work have read, by process.
	turns map[*history.Process]*turn
	// closed is what the caches of each process have shown of the gate.
	closed map[*history.Process]closing
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
	// predicted is what explain said when the world was at rest last; nil if it was not yet. rests counts how often it was.
	predicted *prediction
	rests     int
}

// Watch has a monitor observe a world.
func Watch(w *history.World) *Monitor {
	m := &Monitor{
		w: w, turns: map[*history.Process]*turn{}, closed: map[*history.Process]closing{}, effects: map[string]int{}, lost: map[string]bool{}, deleted: map[types.UID]bool{}, stops: map[types.UID]*stop{},
	}
	w.Observe(m)
	return m
}

// TimeMoved implements Observer: time alone closes the gate, too.
func (m *Monitor) TimeMoved() { m.watchGate() }

// Committed judges a change.
func (m *Monitor) Committed(change apimodel.Change) {
	m.watchGate()
	switch change.Kind {
	case kinds.Machine:
		m.machineChanged(change)
	case kinds.Record:
		m.recordChanged(change)
	case kinds.Request, kinds.Reboot:
		m.requestChanged(change)
	case kinds.HealthCheck:
		m.writtenBy(machinehealthcheck.ControllerName, change)
	default:
		m.writtenBy("nobody", change)
	}
}

// writtenBy holds for what only one controller may write.
func (m *Monitor) writtenBy(controller string, change apimodel.Change) {
	if p := m.w.Writer; p != nil && p.Item.Controller != controller {
		m.w.Fail(rules.Writer, "%s has written %s %s", p.Item.Controller, change.Kind.Kind, change.Key.Name)
	}
}

// machineChanged finds out what was done to a Machine.
func (m *Monitor) machineChanged(change apimodel.Change) {
	before, after := apimodel.As[*clusterv1.Machine](change.Before), apimodel.As[*clusterv1.Machine](change.After)
	p := m.w.Writer
	if p == nil {
		m.takenAway(before, after)
		return
	}
	if before == nil {
		m.w.Fail(rules.Writer, "%s has made machine %s", p.Item.Controller, after.Name)
		return
	}
	if p.Item.Controller == machinehealth.ControllerName {
		m.verdictWritten(before, after)
		return
	}
	m.writtenBy(remediation.ControllerName, change)
	m.repaired(p, before, after)
	if history.Said(before, verdict.ConditionType) != saidOr(after, before, verdict.ConditionType) {
		m.w.Fail(rules.Writer, "%s has changed the verdict on %s", p.Item.Controller, before.Name)
	}
}

// repaired finds out what a process has asked for, or taken back, on a Machine.
func (m *Monitor) repaired(p *history.Process, before, after *clusterv1.Machine) {
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
	return history.Said(machine, conditionType)
}

// verdictWritten holds for the one controller that gives verdicts. It may take away a mark of the version before.
func (m *Monitor) verdictWritten(before, after *clusterv1.Machine) {
	if after == nil || before.DeletionTimestamp.IsZero() != after.DeletionTimestamp.IsZero() || rebootAsked(before) != rebootAsked(after) ||
		(!markStands(before) && markStands(after)) {
		m.w.Fail(rules.Writer, "%s has done more to %s than judge it", machinehealth.ControllerName, before.Name)
	}
}

// takenAway notes what somebody takes away that an attempt has asked for.
func (m *Monitor) takenAway(before, after *clusterv1.Machine) {
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
	return machine != nil && history.Said(machine, clusterv1.MachineOwnerRemediatedCondition)[0] == "False"
}

// ourMark reports whether the mark on a Machine is Sickbay's, and its owner has not begun.
func ourMark(machine *clusterv1.Machine) bool {
	return markStands(machine) &&
		history.Said(machine, clusterv1.MachineOwnerRemediatedCondition)[1] != clusterv1.MachineSetMachineRemediationMachineDeletingReason &&
		(ownwrites.Wrote(machine, clusterv1.MachineOwnerRemediatedCondition, remedy.FieldOwner) ||
			ownwrites.Wrote(machine, clusterv1.MachineOwnerRemediatedCondition, ownwrites.OwnerRemediatedFieldOwner))
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
func (m *Monitor) openRecord(uid types.UID) *v1alpha1.MachineRemediation {
	for _, r := range history.Every[*v1alpha1.MachineRemediation](m.w, kinds.Record) {
		if r.Spec.MachineRef.UID == uid && r.Status.CompletionTime == nil {
			return r
		}
	}
	return nil
}

// hadRecord reports whether a machine has, or had, a record.
func (m *Monitor) hadRecord(uid types.UID) bool {
	for _, r := range history.Every[*v1alpha1.MachineRemediation](m.w, kinds.Record) {
		if r.Spec.MachineRef.UID == uid {
			return true
		}
	}
	return false
}
