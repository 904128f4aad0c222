package explore

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/targets"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
)

// deferred is how long an owner defers that does.
const deferred = 20 * time.Minute

// mischief is what can happen at any moment without being asked for. Before a call of a process, only what changes objects
// of the kind that the call is about need happen: anything else can as well happen before the next one.
func (w *world) mischief(about func(...schema.GroupVersionKind) bool) []option {
	var options []option
	for _, one := range []struct {
		actor   Actor
		options func() []option
		kinds   []schema.GroupVersionKind
	}{
		{Nodes, w.nodesChange, []schema.GroupVersionKind{nodeKind}},
		{Person, w.meddleWithCheck, []schema.GroupVersionKind{healthCheckKind}},
		{Person, w.meddleWithCluster, []schema.GroupVersionKind{clusterKind}},
		{Person, w.meddleWithMachines, []schema.GroupVersionKind{machineKind, nodeKind}},
		{Person, w.meddleWithRecords, []schema.GroupVersionKind{recordKind}},
		{Person, w.meddleWithRequests, []schema.GroupVersionKind{requestKind, rebootKind}},
		{Pauses, w.pauses, []schema.GroupVersionKind{healthCheckKind, clusterKind}},
		{Upgrade, w.upgrade, []schema.GroupVersionKind{healthCheckKind}},
		{Faults, w.refuse, []schema.GroupVersionKind{machineKind}},
		{Overlap, w.overlap, nil},
		{Clock, w.clockSteps, nil},
	} {
		if w.spec.has(one.actor) && about(one.kinds...) {
			options = append(options, one.options()...)
		}
	}
	return options
}

// anything is about all kinds.
func anything(...schema.GroupVersionKind) bool { return true }

// aboutCall is about the kind of a call, and about what belongs to no kind.
func aboutCall(kind schema.GroupVersionKind) func(...schema.GroupVersionKind) bool {
	return func(kinds ...schema.GroupVersionKind) bool { return len(kinds) == 0 || slices.Contains(kinds, kind) }
}

func (w *world) nodesChange() []option {
	var options []option
	for _, m := range every[*clusterv1.Machine](w, machineKind) {
		name := m.Name
		if w.server.Latest(nodeKind, client.ObjectKey{Name: nodeOf(name)}) == nil {
			continue
		}
		options = append(options,
			option{"the Node of " + name + " falls sick", func() { w.nodeIs(name, false) }},
			option{"the Node of " + name + " recovers", func() { w.nodeIs(name, true) }},
		)
	}
	if w.unreadable {
		return append(options, option{"the Nodes can be read again", func() { w.readable() }})
	}
	return append(options, option{"the Nodes cannot be read", func() { w.unreadable, w.lostAt = true, w.clock.now }})
}

// readable ends that the Nodes cannot be read. All machines are looked at again, as a connection that returns has it.
func (w *world) readable() {
	w.unreadable = false
	for _, p := range []*process{w.leader, w.former} {
		if p == nil {
			continue
		}
		for _, m := range every[*clusterv1.Machine](w, machineKind) {
			p.queue.add(item{machinehealth.ControllerName, m.Name})
		}
	}
}

// upgrade pauses and resumes as upgradepause does.
func (w *world) upgrade() []option {
	mhc := latest[*clusterv1.MachineHealthCheck](w, healthCheckKind, checkName)
	if mhc == nil {
		return nil
	}
	if _, paused := mhc.Annotations[targets.UpgradeMarker]; paused {
		return []option{{"the upgrade ends", w.endUpgrade}}
	}
	if _, paused := mhc.Annotations[clusterv1.PausedAnnotation]; paused {
		return nil
	}
	return []option{{"an upgrade begins", func() {
		w.annotate(healthCheckKind, checkName, map[string]string{clusterv1.PausedAnnotation: targets.UpgradeValue, targets.UpgradeMarker: ""})
	}}}
}

func (w *world) endUpgrade() {
	w.annotate(healthCheckKind, checkName, map[string]string{
		clusterv1.PausedAnnotation: gone, targets.UpgradeMarker: gone,
		machinehealth.ResumedAtAnnotation: w.clock.now.UTC().Format(time.RFC3339),
	})
}

// refuse has a webhook refuse all writes on a machine, for a while.
func (w *world) refuse() []option {
	var options []option
	for _, m := range every[*clusterv1.Machine](w, machineKind) {
		name := m.Name
		if w.refused[name] {
			options = append(options, option{"writes on " + name + " are possible again", func() { delete(w.refused, name) }})
			continue
		}
		options = append(options, option{"writes on " + name + " are refused", func() { w.refused[name] = true }})
	}
	return options
}

// leftReconciles is how much a former leader does before it notices.
const leftReconciles = 6

func (w *world) overlap() []option {
	if w.former != nil {
		return []option{{"the former leader " + w.former.name + " stops", func() { w.former = nil }}}
	}
	if w.nested > 0 {
		return nil
	}
	return []option{{"another process leads, and " + w.leader.name + " has not noticed", func() {
		w.former = w.leader
		w.former.left = leftReconciles
		w.leader = w.newProcess()
	}}}
}

func (w *world) clockSteps() []option {
	var options []option
	for _, step := range []time.Duration{10 * time.Second, 10 * time.Minute, 2 * time.Hour, -2 * time.Second} {
		options = append(options, option{fmt.Sprintf("the clock steps by %s", step), func() { w.setClock(w.clock.now.Add(step)) }})
	}
	return options
}

// longestLag is for how long a cache may not move at all.
const longestLag = 5 * time.Minute

// setClock moves the clock, and rings the timers of all processes that are due.
func (w *world) setClock(now time.Time) {
	if now.Sub(w.clock.now) > longestLag {
		w.leader.lag = nil
	}
	w.clock.now, w.latest = now, later(w.latest, now)
	w.monitor.watchGate()
	for _, p := range []*process{w.leader, w.former} {
		if p != nil {
			p.queue.ring(now)
		}
	}
}

// stir has a restless machine change before each write on it.
func (w *world) stir(call apimodel.Call) {
	if w.spec.Restless > 0 && call.Kind == machineKind && call.Key.Name == fmt.Sprintf("m%d", w.spec.Restless) && !w.goodwill {
		w.annotate(machineKind, call.Key.Name, map[string]string{"restless": fmt.Sprint(w.server.Version())})
	}
}
