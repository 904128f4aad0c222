package pause

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/testing/pausing"
)

// TestOfPool: a pool updates while it has machines that are behind. It has halted while it is paused.
func TestOfPool(t *testing.T) {
	const yes, no = corev1.ConditionTrue, corev1.ConditionFalse
	id := "machineconfigpool/worker/" + at(noon)
	goes := func(text string) []Upgrade {
		return []Upgrade{{ID: id, Text: "MachineConfigPool worker updates, " + text, Since: noon, Follows: "clusterversion/"}}
	}
	stands := func(u []Upgrade) []Upgrade { u[0].Halted = true; return u }
	stuck := func(u []Upgrade, why string) []Upgrade { u[0].Stuck = why; return u }
	same := func(p *mcfgv1.MachineConfigPool) *mcfgv1.MachineConfigPool {
		p.Status.Configuration.Name = "new"
		return p
	}
	silent := workers(3, 1, yes)
	silent.Status.Conditions = nil
	for name, tt := range map[string]struct {
		pool  *mcfgv1.MachineConfigPool
		known string
		want  []Upgrade
		fails bool
	}{
		"begins":                                {pool: workers(3, 0, yes), want: goes("0 of 3 machines are through")},
		"in the middle":                         {pool: workers(3, 1, yes), want: goes("1 of 3 machines are through")},
		"all are through":                       {pool: same(workers(3, 3, no))},
		"all are through, a Node is not Ready":  {pool: workers(3, 3, yes)},
		"it is new, and empty":                  {pool: &mcfgv1.MachineConfigPool{}},
		"a Node joins":                          {pool: same(workers(4, 3, yes))},
		"a Node joins in the midst of it":       {pool: same(workers(4, 3, yes)), known: id, want: goes("3 of 4 machines are through")},
		"back to the old configuration":         {pool: same(workers(3, 2, yes)), known: id, want: goes("2 of 3 machines are through")},
		"what it was noted as stays":            {pool: workers(3, 2, yes), known: "machineconfigpool/worker/x", want: []Upgrade{{ID: "machineconfigpool/worker/x", Text: "MachineConfigPool worker updates, 2 of 3 machines are through", Since: noon, Follows: "clusterversion/"}}},
		"no configuration yet":                  {pool: &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker"}, Status: workers(3, 1, yes).Status}, want: goes("1 of 3 machines are through")},
		"somebody has paused it":                {pool: workers(3, 1, no), want: stands(goes("1 of 3 machines are through"))},
		"degraded":                              {pool: degraded(workers(3, 1, yes), "Node n1 is reporting: \"oops\""), want: stuck(goes("1 of 3 machines are through"), "it is degraded: Node n1 is reporting: \"oops\"")},
		"degraded, and does not say why":        {pool: degraded(workers(3, 1, yes), ""), want: stuck(goes("1 of 3 machines are through"), "it is degraded")},
		"degraded, all are through":             {pool: degraded(workers(3, 3, yes), "x")},
		"degraded, the render controller knows": {pool: telling(degraded(workers(3, 1, yes), ""), mcfgv1.MachineConfigPoolRenderDegraded, "no such config"), want: stuck(goes("1 of 3 machines are through"), "it is degraded: no such config")},
		"degraded, for two reasons":             {pool: telling(telling(degraded(workers(3, 1, yes), "oops"), mcfgv1.MachineConfigPoolRenderDegraded, "no such config"), mcfgv1.MachineConfigPoolNodeDegraded, "oops"), want: stuck(goes("1 of 3 machines are through"), "it is degraded: oops; no such config")},
		"degraded, an image was not built":      {pool: telling(degraded(workers(3, 1, yes), "Custom OS image build failed"), mcfgv1.MachineConfigPoolImageBuildDegraded, "Failed to build"), want: stuck(goes("1 of 3 machines are through"), "it is degraded: Failed to build")},
		"stopped by itself":                     {pool: unpaused(workers(3, 1, no)), want: goes("1 of 3 machines are through")},
		"paused, and still says so":             {pool: heldUp(workers(3, 1, yes)), want: stands(goes("1 of 3 machines are through"))},
		"the last one has left for a moment":    {pool: workers(2, 2, yes), known: id, want: stands(goes("2 of 2 machines are through"))},
		"all are through, it was noted":         {pool: same(workers(3, 3, no)), known: id},
		"the same, and a Node is not Ready":     {pool: same(workers(3, 3, yes)), known: id},
		"it does not say whether it updates":    {pool: silent, fails: true},
		"it does not know whether it updates":   {pool: workers(3, 1, corev1.ConditionUnknown), fails: true},
		"it does not say so, and nothing is up": {pool: workers(3, 3, corev1.ConditionUnknown)},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ofPool(tt.pool, tt.known)
			if diff := cmp.Diff(tt.want, got); diff != "" || (err != nil) != tt.fails {
				t.Errorf("error %v, want one: %t; upgrades (-want +got):\n%s", err, tt.fails, diff)
			}
		})
	}
}

func telling(pool *mcfgv1.MachineConfigPool, kind mcfgv1.MachineConfigPoolConditionType, message string) *mcfgv1.MachineConfigPool {
	pausing.SayOfPool(pool, kind, corev1.ConditionTrue, message)
	return pool
}

func heldUp(pool *mcfgv1.MachineConfigPool) *mcfgv1.MachineConfigPool {
	pool.Spec.Paused = true
	return pool
}

func unpaused(pool *mcfgv1.MachineConfigPool) *mcfgv1.MachineConfigPool {
	pool.Spec.Paused = false
	return pool
}

func degraded(pool *mcfgv1.MachineConfigPool, message string) *mcfgv1.MachineConfigPool {
	pausing.SayOfPool(pool, mcfgv1.MachineConfigPoolDegraded, corev1.ConditionTrue, message)
	return pool
}

// TestPoolDigest: the number of finished machines triggers nothing, until all are finished.
func TestPoolDigest(t *testing.T) {
	const yes, no = corev1.ConditionTrue, corev1.ConditionFalse
	one := digestOfPool(workers(3, 1, yes))
	if two := digestOfPool(workers(3, 2, yes)); one != two {
		t.Errorf("one more machine is through: %q, %q", one, two)
	}
	for name, pool := range map[string]*mcfgv1.MachineConfigPool{
		"all": workers(3, 3, yes), "paused": workers(3, 1, no), "degraded": degraded(workers(3, 1, yes), "x"), "unknown": workers(3, 1, corev1.ConditionUnknown),
	} {
		if digestOfPool(pool) == one {
			t.Errorf("%s: nobody is woken up", name)
		}
	}
}

// TestStuckPool: there is a warning at once, and each hour, and the pause stays.
func TestStuckPool(t *testing.T) {
	stuck := upgrading("A")
	stuck[0].Stuck = "it is degraded"
	f := Facts{Annotations: ours("A", one.Add(-time.Minute)), Upgrades: stuck, WarnAfter: warnAfter}
	d := Decide(f, one)
	if d.Transition != Warn || !d.Overlong || !d.Paused || !d.RecheckAt.Equal(one.Add(time.Hour)) {
		t.Errorf("decided %+v", d)
	}
	if text := Message(f, d, one); !strings.HasSuffix(text, "Upgrade A goes on; it is degraded") {
		t.Error(text)
	}
	f.Annotations = stored(f.Annotations).After(d.Changes)
	if again := Decide(f, one.Add(time.Hour-time.Second)); again.Transition != None {
		t.Errorf("warned again too soon: %+v", again)
	}
	if again := Decide(f, one.Add(time.Hour)); again.Transition != Warn {
		t.Errorf("not warned again: %+v", again)
	}
}

// TestPoolsFollow: an override during an upgrade of OpenShift still holds when the pools go on, even if Sickbay was down when that
// began.
func TestPoolsFollow(t *testing.T) {
	pool, _ := ofPool(workers(3, 1, corev1.ConditionTrue), "")
	cv, id := "clusterversion/"+at(noon), pool[0].ID
	both := append(upgrading(cv), pool...)
	for name, r := range map[string]row{
		"both go on, unpaused":           {has: stored{keyHandled: cv}, upgrades: both, gets: stored{keyHandled: cv + "," + id}},
		"the pool goes on":               {has: stored{keyHandled: cv + "," + id}, upgrades: pool, gets: stored{keyHandled: id}},
		"the pool goes on, Sickbay down": {has: stored{keyHandled: cv}, upgrades: pool, gets: stored{keyHandled: id}},
		"paused for both":                {has: ours(cv, noon), upgrades: both, gets: ours(cv+","+id, noon), recheck: noon.Add(warnAfter)},
		"paused, the pool goes on":       {has: ours(cv+","+id, noon), upgrades: pool, gets: ours(id, noon), recheck: noon.Add(warnAfter)},
		"only the pool, not paused":      {upgrades: pool, does: Begin, gets: ours(id, one), recheck: one.Add(warnAfter)},
		"unpaused for the pool, cv next": {has: stored{keyHandled: id}, upgrades: both, gets: stored{keyHandled: id}},
	} {
		t.Run(name, func(t *testing.T) { decideRows(t, map[string]row{name: r}) })
	}
}
