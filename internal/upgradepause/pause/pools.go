package pause

import (
	"fmt"
	"slices"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
)

const (
	// PoolIDs is the ID prefix of the updates of MachineConfigPools.
	PoolIDs = "machineconfigpool/"
	// WorkerPool is a pool that every OpenShift cluster has.
	WorkerPool = "worker"
)

// OfPool returns the update of a pool, if there is one: it lasts from another wanted configuration until all machines have it. The
// condition Updating is not enough: it is also True while a Node is not Ready for any reason. Nor is a machine that is behind: a Node
// that joins is so at first. The update has halted while somebody has paused the pool, or the Nodes that are behind have left it.
func OfPool(pool *mcfgv1.MachineConfigPool) []Upgrade {
	wants, status := pool.Spec.Configuration.Name, &pool.Status
	if wants == "" || wants == status.Configuration.Name {
		return nil
	}
	return []Upgrade{{
		ID:      PoolIDs + pool.Name + "/" + wants,
		Text:    fmt.Sprintf("MachineConfigPool %s updates, %d of %d machines are through", pool.Name, status.UpdatedMachineCount, status.MachineCount),
		Halted:  pool.Spec.Paused || status.UpdatedMachineCount >= status.MachineCount,
		Stuck:   whyStuck(pool),
		Follows: ClusterVersionIDs,
	}}
}

// degrading are the conditions that say that a pool is stuck, and why.
var degrading = []mcfgv1.MachineConfigPoolConditionType{
	mcfgv1.MachineConfigPoolDegraded, mcfgv1.MachineConfigPoolNodeDegraded, mcfgv1.MachineConfigPoolRenderDegraded,
	mcfgv1.MachineConfigPoolImageBuildDegraded, mcfgv1.MachineConfigPoolPinnedImageSetsDegraded, mcfgv1.MachineConfigPoolSynchronizerDegraded,
}

// whyStuck says why a pool makes no progress, in its own words; empty if it does. Degraded contains at most the messages of its
// Nodes, so whyStuck reads the conditions that Degraded sums up.
func whyStuck(pool *mcfgv1.MachineConfigPool) string {
	degraded := conditionOf(pool, mcfgv1.MachineConfigPoolDegraded)
	if degraded.Status != corev1.ConditionTrue {
		return ""
	}
	var words []string
	for _, kind := range degrading[1:] {
		if c := conditionOf(pool, kind); c.Status == corev1.ConditionTrue && c.Message != "" && !slices.Contains(words, c.Message) {
			words = append(words, c.Message)
		}
	}
	if len(words) == 0 {
		words = []string{degraded.Message}
	}
	return strings.TrimSuffix("it is degraded: "+strings.Join(words, "; "), ": ")
}

func conditionOf(pool *mcfgv1.MachineConfigPool, kind mcfgv1.MachineConfigPoolConditionType) mcfgv1.MachineConfigPoolCondition {
	for _, c := range pool.Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return mcfgv1.MachineConfigPoolCondition{}
}
