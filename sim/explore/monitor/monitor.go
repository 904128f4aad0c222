package monitor

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/pauses"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// Monitor compares each write with the real state.
type Monitor struct {
	w *history.World
	// turns are what the current Reconciles have read, by process.
	turns map[*history.Process]*turn
	// closed is what the caches of each process have shown of a closed gate.
	closed map[*history.Process]closing
	// effects counts the side effects of each operation.
	effects map[string]int
	// lost are the operations whose requests somebody else removed.
	lost map[string]bool
	// unread are the operations whose requests could not be read before their records had stored them.
	unread map[string]bool
	// deleted are the machines that Sickbay deleted, by UID.
	deleted map[types.UID]bool
	// standing is since when something has stood that must not stand for long, when the world was at rest.
	standing map[string]time.Time
	// stops is how long each record was stopped, as its controller saw it.
	stops map[types.UID]*stop
	// offs counts how often hosts went off for each operation. lostKey are the power cycles whose keys somebody has removed, and released those that
	// have let go of their hosts.
	offs              map[string]int
	lostKey, released map[types.UID]bool
	// madeOf is what records were made of that somebody has asked for, and begunFor the records that have hosts cycled for that.
	madeOf   map[types.UID]string
	begunFor map[string]types.UID
	// out are the Nodes that are out of service, by name.
	out map[string]*outOfService
	// closedSince is when the gate was closed; zero if it is open.
	closedSince time.Time
	// tick counts the changes, and closedTick is the tick at which the gate was closed.
	tick, closedTick int
	// predicted is explain's prediction when the world was last at rest; nil before that. rests counts the rests.
	predicted *prediction
	rests     int
	// ghosts know what people want of the health checks while something upgrades, by kind.
	ghosts map[schema.GroupVersionKind]*pauses.Ghost
}

// Watch makes a monitor observe a world.
func Watch(w *history.World) *Monitor {
	m := &Monitor{
		w: w, offs: map[string]int{}, lostKey: map[types.UID]bool{}, released: map[types.UID]bool{}, out: map[string]*outOfService{}, madeOf: map[types.UID]string{}, begunFor: map[string]types.UID{},
		turns: map[*history.Process]*turn{}, closed: map[*history.Process]closing{}, effects: map[string]int{}, lost: map[string]bool{}, unread: map[string]bool{}, deleted: map[types.UID]bool{}, stops: map[types.UID]*stop{}, standing: map[string]time.Time{}, ghosts: map[schema.GroupVersionKind]*pauses.Ghost{},
	}
	m.bearAll()
	w.Observe(m)
	return m
}

// TimeMoved implements Observer, because time alone can close the gate.
func (m *Monitor) TimeMoved() { m.watchGate() }

// Committed judges a change.
func (m *Monitor) Committed(change apimodel.Change) {
	m.watchGate()
	switch change.Kind {
	case kinds.Machine:
		m.machineChanged(change)
	case kinds.Record:
		m.recordChanged(change)
	case kinds.Request:
		m.requestChanged(change)
	case kinds.Reboot:
		m.rebootChanged(change)
	case kinds.Host:
		m.hostChanged(change)
	case kinds.Node:
		m.nodeChanged(change)
	case kinds.HealthCheck, kinds.OpenShiftCheck:
		m.checkChanged(change)
	default:
		m.writtenBy("nobody", change)
	}
}

// writtenBy checks that only one controller writes a change.
func (m *Monitor) writtenBy(controller string, change apimodel.Change) {
	if p := m.w.Writer; p != nil && p.Item.Controller != controller {
		m.w.Fail(rules.Writer, "%s has written %s %s", p.Item.Controller, change.Kind.Kind, change.Key.Name)
	}
}

// machineChanged determines what was done to a Machine.
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
	switch p.Item.Controller {
	case reboot.ControllerName:
		m.annotatedOnly(p, before, after)
		return
	case intake.ControllerName:
		m.showsProgress(p, before, after)
		return
	}
	m.writtenBy(remediation.ControllerName, change)
	m.repaired(p, before, after)
	if history.Said(before, verdict.ConditionType) != saidOr(after, before, verdict.ConditionType) {
		m.w.Fail(rules.Writer, "%s has changed the verdict on %s", p.Item.Controller, before.Name)
	}
}

// annotatedOnly checks that the controllers that carry out and take in only change annotations of a Machine.
func (m *Monitor) annotatedOnly(p *history.Process, before, after *clusterv1.Machine) {
	if after == nil || before.DeletionTimestamp.IsZero() != after.DeletionTimestamp.IsZero() || !equality.Semantic.DeepEqual(before.Status, after.Status) {
		m.w.Fail(rules.Writer, "%s has changed more of %s than annotations", p.Item.Controller, before.Name)
	}
}

// repaired determines what a process has requested or withdrawn on a Machine.
func (m *Monitor) repaired(p *history.Process, before, after *clusterv1.Machine) {
	switch {
	case after == nil || before.DeletionTimestamp.IsZero() != after.DeletionTimestamp.IsZero():
		m.deleted[before.UID] = true
		m.deletes(p, before)
		m.acts(p, before, "deletes")
	case !markStands(before) && markStands(after):
		m.acts(p, before, "marks")
	case markStands(before) && !markStands(after):
		m.withdraws(p, before, "the mark", "")
	}
}

func saidOr(machine, otherwise *clusterv1.Machine, conditionType string) [3]string {
	if machine == nil {
		machine = otherwise
	}
	return history.Said(machine, conditionType)
}

// verdictWritten checks that the controller that judges only judges.
func (m *Monitor) verdictWritten(before, after *clusterv1.Machine) {
	if after == nil || before.DeletionTimestamp.IsZero() != after.DeletionTimestamp.IsZero() || (!markStands(before) && markStands(after)) {
		m.w.Fail(rules.Writer, "%s has done more to %s than judge it", machinehealth.ControllerName, before.Name)
	}
}

// takenAway records that somebody removed what an attempt requested.
func (m *Monitor) takenAway(before, after *clusterv1.Machine) {
	if before == nil {
		return
	}
	if after == nil || (markStands(before) && !markStands(after)) {
		if r := m.openRecord(before.UID); r != nil {
			m.lost[operationOf(r)] = true
		}
	}
}

// markStands reports whether a Machine is marked for its owner.
func markStands(machine *clusterv1.Machine) bool {
	return machine != nil && history.Said(machine, clusterv1.MachineOwnerRemediatedCondition)[0] == "False"
}

// ourMark reports whether the mark on a Machine is Sickbay's, and its owner has not begun.
func ourMark(machine *clusterv1.Machine) bool {
	return markStands(machine) &&
		history.Said(machine, clusterv1.MachineOwnerRemediatedCondition)[1] != clusterv1.MachineSetMachineRemediationMachineDeletingReason &&
		ownwrites.Wrote(machine, clusterv1.MachineOwnerRemediatedCondition, remedy.FieldOwner)
}

// openRecord returns the open record of a machine, that of its health check if there are two; nil if there is none.
func (m *Monitor) openRecord(uid types.UID) *v1alpha1.MachineRemediation {
	var asked *v1alpha1.MachineRemediation
	for _, r := range m.records() {
		switch {
		case r.Spec.MachineRef.UID != uid || r.Status.CompletionTime != nil:
		case r.Spec.AskedFor():
			asked = r
		default:
			return r
		}
	}
	return asked
}

// hadRecord reports whether a machine has, or had, a record.
func (m *Monitor) hadRecord(uid types.UID) bool {
	return slices.ContainsFunc(m.records(), func(r *v1alpha1.MachineRemediation) bool { return r.Spec.MachineRef.UID == uid })
}

// records, machines and reboots are the current ones.
func (m *Monitor) records() []*v1alpha1.MachineRemediation {
	return history.Every[*v1alpha1.MachineRemediation](m.w, kinds.Record)
}

func (m *Monitor) machines() []*clusterv1.Machine {
	return history.Every[*clusterv1.Machine](m.w, kinds.Machine)
}

func (m *Monitor) reboots() []*v1alpha1.RebootRemediation {
	return history.Every[*v1alpha1.RebootRemediation](m.w, kinds.Reboot)
}
