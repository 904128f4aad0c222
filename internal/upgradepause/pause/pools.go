package pause

import (
	"fmt"
	"slices"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
)

// PoolIDs is the ID prefix of the updates of all MachineConfigPools.
const PoolIDs = "machineconfigpool/"

// IDsOfPool returns the ID prefix of the updates of one pool.
func IDsOfPool(name string) string { return PoolIDs + name + "/" }

// OfPool returns the update of a pool, if there is one. Which update is in progress depends on what the annotations of the
// MachineHealthCheck note.
func OfPool(pool *mcfgv1.MachineConfigPool, annotations map[string]string) ([]Upgrade, error) {
	return ofPool(pool, notedOf(annotations, IDsOfPool(pool.Name)))
}

// notedOf returns the update of a pool that the annotations note; empty if there is none.
func notedOf(annotations map[string]string, ids string) string {
	for _, id := range noted(annotations) {
		if strings.HasPrefix(id, ids) {
			return id
		}
	}
	return ""
}

// ofPool returns the update of a pool, if there is one. A pool updates if it has machines that are not updated, and its wanted
// configuration differs from the one it has. The condition Updating is not enough: it is also True while a Node is not Ready for any
// reason. While no update is noted, a Node that joins the pool is no update: it is not updated at first, though the configuration is
// the same. An update goes on until all machines are done, even if their wanted configuration changes meanwhile.
func ofPool(pool *mcfgv1.MachineConfigPool, known string) ([]Upgrade, error) {
	behind := pool.Status.MachineCount > pool.Status.UpdatedMachineCount
	has, wants := pool.Status.Configuration.Name, pool.Spec.Configuration.Name
	begins := behind && (wants == "" || has != wants)
	goesOn := known != "" && (behind || has != wants)
	if !begins && !goesOn {
		return nil, nil
	}
	updating := conditionOf(pool, mcfgv1.MachineConfigPoolUpdating)
	if updating.Status != corev1.ConditionTrue && updating.Status != corev1.ConditionFalse {
		return nil, fmt.Errorf("MachineConfigPool %s does not say whether it is Updating", pool.Name)
	}
	upgrade := Upgrade{
		ID: known, Follows: ClusterVersionIDs, Since: updating.LastTransitionTime.Time, Stuck: whyStuck(pool),
		// The Nodes that are behind may have left the pool for a moment.
		Halted: pool.Spec.Paused || !behind,
	}
	if known == "" {
		upgrade.ID = IDsOfPool(pool.Name) + upgrade.Since.UTC().Format(time.RFC3339)
	}
	upgrade.Text = fmt.Sprintf("MachineConfigPool %s updates, %d of %d machines are through", pool.Name, pool.Status.UpdatedMachineCount, pool.Status.MachineCount)
	return []Upgrade{upgrade}, nil
}

// whyStuck says why a pool makes no progress, in its own words; empty if it does. Degraded contains at most the messages of its
// Nodes, so whyStuck reads the conditions that Degraded sums up.
func whyStuck(pool *mcfgv1.MachineConfigPool) string {
	degraded := conditionOf(pool, mcfgv1.MachineConfigPoolDegraded)
	if degraded.Status != corev1.ConditionTrue {
		return ""
	}
	var words []string
	for _, kind := range []mcfgv1.MachineConfigPoolConditionType{
		mcfgv1.MachineConfigPoolNodeDegraded, mcfgv1.MachineConfigPoolRenderDegraded, mcfgv1.MachineConfigPoolImageBuildDegraded,
		mcfgv1.MachineConfigPoolPinnedImageSetsDegraded, mcfgv1.MachineConfigPoolSynchronizerDegraded,
	} {
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

// digestOfPool returns everything about a pool that decisions depend on, except how many machines are done.
func digestOfPool(pool *mcfgv1.MachineConfigPool) string {
	var b strings.Builder
	for _, known := range []string{"", "known"} {
		upgrades, err := ofPool(pool, known)
		for _, u := range upgrades {
			fmt.Fprintf(&b, "%s,%t,%s;", u.ID, u.Halted, u.Stuck)
		}
		fmt.Fprint(&b, err)
	}
	return b.String() + pool.Spec.NodeSelector.String()
}
