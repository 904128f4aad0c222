package monitor

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
)

// turn is what a Reconcile has read live, since its last act and since it began, including the answers to its writes.
type turn struct {
	item  history.Item
	looks map[lookAt]look
	all   map[lookAt]look
	// shown is what the cache has shown of each Machine last.
	shown map[string]*apimodel.Object
	// tick is when it began, and current is whether the caches showed everything then.
	tick    int
	began   time.Time
	current bool
	// first and lasts are what the caches have shown first and last to a controller that pauses.
	first, lasts shows
}

type lookAt struct {
	kind schema.GroupVersionKind
	name string
}

// look is one live read: the object, and whether Nodes could be read at all.
type look struct {
	obj        *apimodel.Object
	unreadable bool
	at         time.Time
}

// Began records the start of a Reconcile, and what the caches show then.
func (m *Monitor) Began(p *history.Process) {
	m.turns[p] = &turn{item: *p.Item, looks: map[lookAt]look{}, all: map[lookAt]look{}, shown: map[string]*apimodel.Object{}, tick: m.tick, began: m.w.Now(), current: current(p)}
	m.shows(p)
}

// Read implements Observer.
func (m *Monitor) Read(p *history.Process, call apimodel.Call, obj *apimodel.Object) {
	t := m.turns[p]
	t.sawPausing(p, call.Kind)
	switch {
	case call.Live:
		t.saw(p, call, obj)
	case call.Kind == kinds.Machine && call.Verb == "get":
		t.shown[call.Key.Name] = obj
	}
}

// lookByWrite counts an act on exactly the version of a Machine that the cache has shown as a look at it: the write has tested that version.
func (t *turn) lookByWrite(p *history.Process, machine *clusterv1.Machine) {
	at, shown := lookAt{kinds.Machine, machine.Name}, t.shown[machine.Name]
	if _, looked := t.looks[at]; looked || shown == nil {
		return
	}
	if apimodel.As[*clusterv1.Machine](shown).ResourceVersion == machine.ResourceVersion {
		t.looks[at] = look{obj: shown, at: p.Now()}
	}
}

// Written records the answer to a write of a Machine, which counts as a look.
func (m *Monitor) Written(p *history.Process, call apimodel.Call) {
	if call.Kind == kinds.Machine {
		m.turns[p].all[lookAt{call.Kind, call.Key.Name}] = look{obj: m.w.Server.Latest(call.Kind, call.Key), at: p.Now()}
	}
}

// saw records a live read. A list counts as a look at records, and at a MachineHealthCheck that was not read by name; other lists are read for
// counts alone.
func (t *turn) saw(p *history.Process, call apimodel.Call, obj *apimodel.Object) {
	at := lookAt{call.Kind, call.Key.Name}
	if call.Verb == "list" && call.Kind != kinds.Record && call.Kind != kinds.HealthCheck {
		return
	}
	t.looks[at] = look{obj, p.World.Unreadable, p.Now()}
	t.all[at] = t.looks[at]
}

// recordOf returns the record of a machine that was read; nil if none was.
func (t *turn) recordOf(machine *clusterv1.Machine) *v1alpha1.MachineRemediation {
	for at, look := range t.looks {
		if at.kind != kinds.Record || look.obj == nil {
			continue
		}
		if r := apimodel.As[*v1alpha1.MachineRemediation](look.obj); r.Spec.MachineRef.Name == machine.Name && at.name == t.item.Name {
			return r
		}
	}
	return nil
}

func looked[T client.Object](t *turn, kind schema.GroupVersionKind, name string) T {
	return apimodel.As[T](t.looks[lookAt{kind, name}].obj)
}

// sick reports whether a look at a Node showed that its machine is certainly sick.
func (l look) sick() bool {
	if l.unreadable {
		return false
	}
	node := apimodel.As[*corev1.Node](l.obj)
	return node == nil || nodeSick(node, l.at)
}

// nodeSick reports whether a Node has been not ready for long enough, or a detector that lives says that it is broken.
func nodeSick(node *corev1.Node, now time.Time) bool {
	if slices.ContainsFunc(node.Status.Conditions, history.GpuBroken) {
		return true
	}
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue {
			return now.Sub(c.LastTransitionTime.Time) >= history.SickAfter
		}
	}
	return false
}

// last returns the time of the last read.
func (t *turn) last() time.Time {
	var last time.Time
	for _, look := range t.looks {
		last = healthcheck.Latest(last, look.at)
	}
	return last
}
