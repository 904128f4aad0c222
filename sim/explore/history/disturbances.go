package history

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/upgrade"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// Deferred is how long a deferring owner waits.
const Deferred = 20 * time.Minute

// disturbances returns what can happen at any moment by itself. Before a call of a process, only changes to objects of the
// call's kind matter: anything else can just as well happen before the next call.
func (w *World) disturbances(about func(...schema.GroupVersionKind) bool) []option {
	var options []option
	for _, one := range []struct {
		actor   worlds.Actor
		options func() []option
		kinds   []schema.GroupVersionKind
	}{
		{worlds.Nodes, w.nodesChange, []schema.GroupVersionKind{kinds.Node}},
		{worlds.Person, w.meddleWithCheck, []schema.GroupVersionKind{kinds.HealthCheck}},
		{worlds.Person, w.meddleWithCluster, []schema.GroupVersionKind{kinds.Cluster}},
		{worlds.Person, w.meddleWithMachines, []schema.GroupVersionKind{kinds.Machine, kinds.Node}},
		{worlds.Person, w.meddleWithRecords, []schema.GroupVersionKind{kinds.Record}},
		{worlds.Person, w.meddleWithRequests, []schema.GroupVersionKind{kinds.Request, kinds.Reboot}},
		{worlds.Second, w.meddleWithSecond, []schema.GroupVersionKind{kinds.HealthCheck}},
		{worlds.Signals, w.detectorsChange, []schema.GroupVersionKind{kinds.Node}},
		{worlds.Pauses, w.pauses, []schema.GroupVersionKind{kinds.HealthCheck, kinds.Cluster}},
		{worlds.Upgrade, w.played(upgrade.Scene.OpenShift), []schema.GroupVersionKind{kinds.ClusterVersion, kinds.HealthCheck, kinds.OpenShiftCheck}},
		{worlds.Pools, w.played(upgrade.Scene.Pools), []schema.GroupVersionKind{kinds.Pool, kinds.OpenShiftCheck}},
		{worlds.Rollout, w.played(upgrade.Scene.Rollout), []schema.GroupVersionKind{kinds.Deployment, kinds.ControlPlane, kinds.Cluster, kinds.Machine}},
		{worlds.Pausers, w.pausersOf(kinds.HealthCheck, kinds.CheckName), []schema.GroupVersionKind{kinds.HealthCheck}},
		{worlds.Pausers, w.pausersOf(kinds.OpenShiftCheck, upgrade.OpenShiftCheck), []schema.GroupVersionKind{kinds.OpenShiftCheck}},
		{worlds.Readings, w.readings, nil},
		{worlds.Hosts, w.keepHosts, []schema.GroupVersionKind{kinds.Host}},
		{worlds.Askers, w.askByCommand, []schema.GroupVersionKind{kinds.Record}},
		{worlds.Askers, w.askByAnnotation, []schema.GroupVersionKind{kinds.Machine}},
		{worlds.Askers, w.askByRequest, []schema.GroupVersionKind{kinds.Reboot}},
		{worlds.Owners, w.ownersActOtherwise, []schema.GroupVersionKind{kinds.Machine}},
		{worlds.Kinds, w.forbid, []schema.GroupVersionKind{kinds.Request}},
		{worlds.Faults, w.refuse, []schema.GroupVersionKind{kinds.Machine}},
		{worlds.Overlap, w.overlap, nil},
		{worlds.Clock, w.clockSteps, nil},
	} {
		if w.Spec.Has(one.actor) && about(one.kinds...) {
			options = append(options, one.options()...)
		}
	}
	return options
}

// anything matches all kinds.
func anything(...schema.GroupVersionKind) bool { return true }

// aboutCall matches the kind of a call, and what belongs to no kind.
func aboutCall(kind schema.GroupVersionKind) func(...schema.GroupVersionKind) bool {
	return func(kinds ...schema.GroupVersionKind) bool { return len(kinds) == 0 || slices.Contains(kinds, kind) }
}

func (w *World) nodesChange() []option {
	var options []option
	for _, m := range Every[*clusterv1.Machine](w, kinds.Machine) {
		name := m.Name
		if w.Server.Latest(kinds.Node, client.ObjectKey{Name: nodeOf(name)}) == nil || !w.running(name) {
			continue
		}
		options = append(options,
			option{"the Node of " + name + " falls sick", func() { w.nodeIs(name, false) }},
			option{"the Node of " + name + " recovers", func() { w.nodeIs(name, true) }},
		)
	}
	if w.Unreadable {
		return append(options, option{"the Nodes can be read again", func() { w.readable() }})
	}
	return append(options, option{"the Nodes cannot be read", func() { w.Unreadable, w.lostAt = true, w.clock.now }})
}

// readable makes the Nodes readable again. Like a connection that comes back, it queues all machines.
func (w *World) readable() {
	w.Unreadable = false
	for _, p := range []*Process{w.Leader, w.Former} {
		if p == nil {
			continue
		}
		for _, m := range Every[*clusterv1.Machine](w, kinds.Machine) {
			p.queue.add(Item{machinehealth.ControllerName, m.Name})
		}
	}
}

// refuse makes a webhook reject all writes to a machine, or stop rejecting them.
func (w *World) refuse() []option {
	var options []option
	for _, m := range Every[*clusterv1.Machine](w, kinds.Machine) {
		name := m.Name
		if w.refused[name] {
			options = append(options, option{"writes on " + name + " are possible again", func() { delete(w.refused, name) }})
			continue
		}
		options = append(options, option{"writes on " + name + " are refused", func() { w.refused[name] = true }})
	}
	return options
}

// leftReconciles is how many Reconciles a former leader runs before it notices.
const leftReconciles = 6

func (w *World) overlap() []option {
	if w.Former != nil {
		return []option{{"the former leader " + w.Former.Name + " stops", func() { w.Former = nil }}}
	}
	if w.nested > 0 {
		return nil
	}
	return []option{{"another process leads, and " + w.Leader.Name + " has not noticed", func() {
		w.Former = w.Leader
		w.Former.left = leftReconciles
		w.Leader = w.newProcess()
	}}}
}

func (w *World) clockSteps() []option {
	var options []option
	for _, step := range []time.Duration{10 * time.Second, 10 * time.Minute, 2 * time.Hour, -2 * time.Second} {
		options = append(options, option{fmt.Sprintf("the clock steps by %s", step), func() { w.setClock(w.clock.now.Add(step)) }})
	}
	return options
}

// longestLag is how long a cache may stand still.
const longestLag = 5 * time.Minute

// setClock sets the clock, and fires the due timers of all processes.
func (w *World) setClock(now time.Time) {
	if now.Sub(w.clock.now) > longestLag {
		w.Leader.lag = nil
	}
	if now.Before(w.clock.now) {
		w.Unsteady = healthcheck.Latest(w.Unsteady, w.Leader.Now())
	}
	w.clock.now = now
	if w.Leader.IsAhead() {
		w.Unsteady = healthcheck.Latest(w.Unsteady, w.Leader.Now())
	}
	w.Furthest = healthcheck.Latest(w.Furthest, w.Leader.Now())
	w.observer.TimeMoved()
	for _, p := range []*Process{w.Leader, w.Former} {
		if p != nil {
			p.queue.ring(now)
		}
	}
}

// changeRestless changes a restless machine before each write to it.
func (w *World) changeRestless(call apimodel.Call) {
	if w.Spec.Restless > 0 && call.Kind == kinds.Machine && call.Key.Name == fmt.Sprintf("m%d", w.Spec.Restless) && !w.cooperating {
		w.annotate(kinds.Machine, call.Key.Name, map[string]string{"restless": fmt.Sprint(w.Server.Version())})
	}
}
