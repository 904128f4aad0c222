package history

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/upgrade"
)

// WarnAfter is how long a pause for an upgrade may last before a warning, and SettleWithin how long the machines of another controller may take to come
// back.
const (
	WarnAfter    = 4 * time.Hour
	SettleWithin = 15 * time.Minute
)

// pausers are the controllers that pause for upgrades, by the kind of their health checks.
var pausers = map[schema.GroupVersionKind]string{
	kinds.HealthCheck:    upgradepause.ControllerName,
	kinds.OpenShiftCheck: upgradepause.ControllerName + "-openshift",
}

// PausedBy returns the kind of the health checks that a controller pauses, and whether it pauses any.
func PausedBy(controller string) (schema.GroupVersionKind, bool) {
	for kind, name := range pausers {
		if name == controller {
			return kind, true
		}
	}
	return schema.GroupVersionKind{}, false
}

// PausesSoon reports whether a controller that pauses tries something again within less than that time.
func (p *Process) PausesSoon(within time.Duration) bool {
	for i, at := range p.queue.timers {
		if _, pauses := PausedBy(i.Controller); pauses && at.Sub(p.World.clock.now) < within {
			return true
		}
	}
	return false
}

// addPausers creates the Reconcilers that pause for upgrades, where something can upgrade.
func (p *Process) addPausers(parts Parts) {
	if !p.World.Spec.Upgrades() {
		return
	}
	for kind, name := range pausers {
		r := &upgradepause.Reconciler{
			Kind: kind, WarnAfter: WarnAfter, SettleTimeout: SettleWithin, Recorder: recorder{p}, Clock: ownClock{p}, SyncPeriod: syncPeriod,
			Ours: func(*metav1.PartialObjectMetadata) bool { return kind == kinds.HealthCheck },
		}
		r.ReadFrom(parts.Client, parts.Live, mapper)
		p.Controllers[name] = r
	}
}

// wakePausers queues the health checks that a change concerns, as the watches of upgradepause would.
func (p *Process) wakePausers(change apimodel.Change) {
	if !p.World.Spec.Upgrades() {
		return
	}
	switch change.Kind {
	case kinds.HealthCheck, kinds.OpenShiftCheck:
		if change.Before == nil || change.After == nil || mhcspec.IdentityChanged(change.Before.Typed(), change.After.Typed()) {
			p.queue.add(Item{pausers[change.Kind], change.Key.Name})
		}
		return
	}
	whom := p.concerned(change.Kind)
	if len(whom) == 0 || (change.Before != nil && change.After != nil && pause.Same(change.Before.Typed(), change.After.Typed())) {
		return
	}
	p.wakePausersOf(whom...)
}

// concerned returns the kinds of the health checks that a change of a kind concerns.
func (p *Process) concerned(kind schema.GroupVersionKind) []schema.GroupVersionKind {
	switch kind {
	case kinds.ClusterVersion:
		return []schema.GroupVersionKind{kinds.HealthCheck, kinds.OpenShiftCheck}
	case kinds.Pool:
		return []schema.GroupVersionKind{kinds.OpenShiftCheck}
	case kinds.Cluster, kinds.Deployment, kinds.ControlPlane, kinds.Machine:
		return []schema.GroupVersionKind{kinds.HealthCheck}
	case kinds.Node, kinds.OpenShiftMachine:
		if check := p.View.Find(kinds.OpenShiftCheck, kinds.InNamespace(upgrade.OpenShiftCheck)); check != nil && mhcspec.HasAnnotation(check.Typed(), pause.SettlingAnnotation) {
			return []schema.GroupVersionKind{kinds.OpenShiftCheck}
		}
	}
	return nil
}

func (p *Process) wakePausersOf(some ...schema.GroupVersionKind) {
	for _, kind := range some {
		for _, check := range p.World.Server.All(kind) {
			p.queue.add(Item{pausers[kind], check.Typed().GetName()})
		}
	}
}

// cachedKinds returns the kinds that the controllers of this world watch.
func (w *World) cachedKinds() []schema.GroupVersionKind {
	all := slices.Clip(kinds.Cached)
	for _, kind := range kinds.Upgrades {
		if len(w.Server.All(kind)) > 0 {
			all = append(all, kind)
		}
	}
	return all
}

// scene is the world as package upgrade sees it.
func (w *World) scene() upgrade.Scene {
	return upgrade.Scene{
		Spec: w.Spec, Now: w.clock.now, Remove: w.remove,
		Find: func(kind schema.GroupVersionKind, name string) client.Object {
			return Latest[client.Object](w, kind, name)
		},
		Every: func(kind schema.GroupVersionKind) []client.Object { return Every[client.Object](w, kind) },
		Change: func(kind schema.GroupVersionKind, name string, status bool, change func(client.Object)) {
			update(w, kind, name, status, change)
		},
	}
}

// played returns the acts of a scene as options.
func (w *World) played(acts func(upgrade.Scene) []upgrade.Act) func() []option {
	return func() []option {
		var options []option
		for _, act := range acts(w.scene()) {
			options = append(options, option{act.Name, act.Do})
		}
		return options
	}
}

// pausersOf returns what people and programs do to the health checks of a kind.
func (w *World) pausersOf(kind schema.GroupVersionKind, name string) func() []option {
	return w.played(func(s upgrade.Scene) []upgrade.Act { return s.Pausers(kind, name) })
}

// readings takes away the right to read a kind, or gives it back. What can be read again is looked at again.
func (w *World) readings() []option {
	var options []option
	if w.Leader.Item != nil || (w.Former != nil && w.Former.Item != nil) {
		return nil // what a Reconcile may read does not change while it reads
	}
	for _, kind := range []schema.GroupVersionKind{kinds.ClusterVersion, kinds.Pool, kinds.Cluster, kinds.Deployment, kinds.ControlPlane, kinds.Machine, kinds.OpenShiftMachine, kinds.Node} {
		if len(w.Server.All(kind)) == 0 {
			continue
		}
		name := fmt.Sprintf("%s of %s can be read: %t", kind.Kind, kind.Group, w.Unread[kind])
		options = append(options, option{name, func() { w.setUnread(kind, !w.Unread[kind]) }})
	}
	return options
}

func (w *World) setUnread(kind schema.GroupVersionKind, yes bool) {
	if yes {
		w.Unread[kind] = true
		return
	}
	delete(w.Unread, kind)
	for _, p := range []*Process{w.Leader, w.Former} {
		if p != nil {
			p.wakePausersOf(kinds.HealthCheck, kinds.OpenShiftCheck)
		}
	}
}

// mayPauserRead returns an error if upgradepause may not read the kind of a call.
func (p *Process) mayPauserRead(call apimodel.Call) error {
	if p.Item == nil || !p.World.Unread[call.Kind] {
		return nil
	}
	if _, pauses := PausedBy(p.Item.Controller); !pauses {
		return nil
	}
	return noRight(call)
}
