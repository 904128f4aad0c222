package monitor

import (
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/pauses"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
	"github.com/sickbay-dev/sickbay/sim/explore/upgrade"
)

// checkChanged judges a write to a health check: by a controller that pauses for upgrades, by the one that admits, or by somebody else.
func (m *Monitor) checkChanged(change apimodel.Change) {
	if !m.w.Spec.Upgrades() {
		m.writtenBy(machinehealthcheck.ControllerName, change)
		return
	}
	g, known := m.ghosts[change.Kind]
	switch {
	case change.After == nil:
		return
	case !known:
		m.bear(change.Kind, change.After)
		return
	case change.Before == nil:
		g.MadeAgain(change.After.Typed().GetAnnotations())
		return
	}
	before, after := change.Before.Typed().GetAnnotations(), change.After.Typed().GetAnnotations()
	if equality.Semantic.DeepEqual(before, after) {
		m.writtenBy(machinehealthcheck.ControllerName, change)
		return
	}
	p := m.w.Writer
	if p == nil {
		g.Meddled(before, after)
		return
	}
	if kind, pauses := history.PausedBy(p.Item.Controller); !pauses || kind != change.Kind {
		m.w.Fail(rules.Writer, "%s has changed the annotations of %s", p.Item.Controller, change.Key.Name)
		return
	}
	t := m.turns[p]
	g.Judge(before, after, t.view(p).See(change.Kind), pauses.Span{From: t.began.Add(p.Now().Sub(m.w.Now())), To: p.Now()})
}

// bear begins to know a health check.
func (m *Monitor) bear(kind schema.GroupVersionKind, check *apimodel.Object) {
	g := &pauses.Ghost{Fail: m.w.Fail, WarnAfter: history.WarnAfter}
	g.Born(check.Typed().GetAnnotations())
	m.ghosts[kind] = g
}

// bearAll begins to know the health checks that exist at the beginning.
func (m *Monitor) bearAll() {
	for _, kind := range []schema.GroupVersionKind{kinds.HealthCheck, kinds.OpenShiftCheck} {
		for _, check := range m.w.Server.All(kind) {
			m.bear(kind, check)
		}
	}
}

// looksAgain is how soon a controller that pauses looks again if nothing may come of a look. It retries failures sooner.
const looksAgain = 30 * time.Second

// pausesAtRest checks the pauses for upgrades once nothing is left to do for the moment.
func (m *Monitor) pausesAtRest() {
	if !m.w.Spec.Upgrades() || m.w.Leader.PausesSoon(looksAgain) {
		return
	}
	live := func(kind schema.GroupVersionKind) []client.Object { return typed(m.w.Server.All(kind)) }
	view := pauses.View{Spec: m.w.Spec, Every: live, Last: live, Unread: func(schema.GroupVersionKind) bool { return false }, Selected: true, Settles: history.SettleWithin}
	for kind, g := range m.ghosts {
		for _, check := range m.w.Server.All(kind) {
			g.AtRest(check.Typed().GetAnnotations(), view.See(kind), m.w.Now())
		}
	}
}

// shows is what the caches have shown of kinds.
type shows map[schema.GroupVersionKind][]*apimodel.Object

// sawPausing notes what a cache shows at a read: a Reconcile that pauses may read a kind twice.
func (t *turn) sawPausing(p *history.Process, kind schema.GroupVersionKind) {
	if _, pauses := history.PausedBy(t.item.Controller); !pauses {
		return
	}
	if t.first == nil {
		t.first, t.lasts = shows{}, shows{}
	}
	t.lasts[kind] = p.View.All(kind)
	if _, ok := t.first[kind]; !ok {
		t.first[kind] = t.lasts[kind]
	}
}

// view returns what the Reconcile knows.
func (t *turn) view(p *history.Process) pauses.View {
	from := func(shown shows) func(schema.GroupVersionKind) []client.Object {
		return func(kind schema.GroupVersionKind) []client.Object {
			if objects, ok := shown[kind]; ok {
				return typed(objects)
			}
			return typed(p.View.All(kind))
		}
	}
	_, selected := t.all[lookAt{kinds.OpenShiftCheck, upgrade.OpenShiftCheck}]
	return pauses.View{
		Selected: selected, Spec: p.World.Spec, Every: from(t.first), Last: from(t.lasts), Settles: history.SettleWithin,
		Unread: func(kind schema.GroupVersionKind) bool { return p.World.Unread[kind] },
	}
}

func typed(objects []*apimodel.Object) []client.Object {
	var all []client.Object
	for _, obj := range objects {
		all = append(all, obj.Typed())
	}
	return all
}
