package pause

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/internal/testing/pausing"
)

// TestOfPool: a pool updates while it wants another configuration than all its machines have. It has halted while it is paused.
func TestOfPool(t *testing.T) {
	const yes, no = corev1.ConditionTrue, corev1.ConditionFalse
	goes := func(text string) []Upgrade {
		return []Upgrade{{ID: "machineconfigpool/worker/new", Text: "MachineConfigPool worker updates, " + text, Follows: "clusterversion/"}}
	}
	stuck := func(why string) []Upgrade { u := goes("1 of 3 machines are through"); u[0].Stuck = why; return u }
	same := func(p *mcfgv1.MachineConfigPool) *mcfgv1.MachineConfigPool {
		p.Status.Configuration.Name = "new"
		return p
	}
	render, node := mcfgv1.MachineConfigPoolRenderDegraded, mcfgv1.MachineConfigPoolNodeDegraded
	for name, tt := range map[string]struct {
		pool *mcfgv1.MachineConfigPool
		want []Upgrade
	}{
		"begins":                                {workers(3, 0, yes), goes("0 of 3 machines are through")},
		"in the middle":                         {workers(3, 1, yes), goes("1 of 3 machines are through")},
		"all are through":                       {same(workers(3, 3, no)), nil},
		"all are through, a Node is not Ready":  {same(workers(3, 3, yes)), nil},
		"it is new, and empty":                  {&mcfgv1.MachineConfigPool{}, nil},
		"a Node joins":                          {same(workers(4, 3, yes)), nil},
		"somebody has paused it":                {workers(3, 1, no), halted(goes("1 of 3 machines are through"))},
		"the last one has left for a moment":    {workers(2, 2, yes), halted(goes("2 of 2 machines are through"))},
		"degraded":                              {degraded(workers(3, 1, yes), "oops"), stuck("it is degraded: oops")},
		"degraded, and does not say why":        {degraded(workers(3, 1, yes), ""), stuck("it is degraded")},
		"degraded, all are through":             {degraded(same(workers(3, 3, yes)), "x"), nil},
		"degraded, the render controller knows": {telling(degraded(workers(3, 1, yes), ""), render, "no such config"), stuck("it is degraded: no such config")},
		"degraded, for two reasons":             {telling(telling(degraded(workers(3, 1, yes), "oops"), render, "no such config"), node, "oops"), stuck("it is degraded: oops; no such config")},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, OfPool(tt.pool)); diff != "" {
				t.Errorf("upgrades (-want +got):\n%s", diff)
			}
		})
	}
}

func telling(pool *mcfgv1.MachineConfigPool, kind mcfgv1.MachineConfigPoolConditionType, message string) *mcfgv1.MachineConfigPool {
	pausing.SayOfPool(pool, kind, corev1.ConditionTrue, message)
	return pool
}

func degraded(pool *mcfgv1.MachineConfigPool, message string) *mcfgv1.MachineConfigPool {
	pausing.SayOfPool(pool, mcfgv1.MachineConfigPoolDegraded, corev1.ConditionTrue, message)
	return pool
}

// TestPoolsFollow: an override during an upgrade of OpenShift still holds when the pools go on, even if Sickbay was down when that
// began.
func TestPoolsFollow(t *testing.T) {
	pool := OfPool(workers(3, 1, corev1.ConditionTrue))
	cv, id := "clusterversion/"+at(noon), pool[0].ID
	both := append(upgrading(cv), pool...)
	decideRows(t, map[string]row{
		"both go on, unpaused":           {has: stored{keyHandled: cv}, upgrades: both, gets: stored{keyHandled: cv + "," + id}},
		"the pool goes on":               {has: stored{keyHandled: cv + "," + id}, upgrades: pool, gets: stored{keyHandled: id}},
		"the pool goes on, Sickbay down": {has: stored{keyHandled: cv}, upgrades: pool, gets: stored{keyHandled: id}},
		"paused for both":                {has: ours(cv, noon), upgrades: both, gets: ours(cv+","+id, noon), recheck: noon.Add(warnAfter)},
		"paused, the pool goes on":       {has: ours(cv+","+id, noon), upgrades: pool, gets: ours(id, noon), recheck: noon.Add(warnAfter)},
		"only the pool, not paused":      {upgrades: pool, does: Begin, gets: ours(id, one), recheck: one.Add(warnAfter)},
		"unpaused for the pool, cv next": {has: stored{keyHandled: id}, upgrades: both, gets: stored{keyHandled: id}},
	})
}

// stuck returns these upgrades as ones that make no progress.
func stuck(upgrades []Upgrade) []Upgrade {
	for i := range upgrades {
		upgrades[i].Stuck = "it is degraded"
	}
	return upgrades
}
