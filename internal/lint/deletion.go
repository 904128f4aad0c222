package lint

import (
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/humanize"
)

// undeletable finds machines of a control plane under a plan that replaces machines only by their deletion.
func (l *linter) undeletable(c *check, steps []v1alpha1.RemediationStep) {
	selected, _ := l.selected(c)
	n, deletes := controlPlanes(selected), ""
	for _, step := range steps {
		if step.Marks() {
			return
		}
		if step.Deletes() {
			deletes = step.Name
		}
	}
	if n > 0 && deletes != "" {
		l.add(c.find(Warning, fieldSelector, fmt.Sprintf("it selects %s, and step %s of its plan deletes no machine of a control plane: it is skipped for them",
			humanize.Count(n, "control-plane Machine", "control-plane Machines"), deletes)))
	}
}

// machineless finds MachinePools that have Nodes and no Machines, so no health check can look after them. Cluster API makes the Machines of a pool before
// it knows the Nodes: a pool without Nodes may still get Machines.
func (l *linter) machineless(c *check) {
	if l.fleet == nil {
		return
	}
	for i := range l.fleet.Pools {
		pool := &l.fleet.Pools[i]
		if len(pool.Status.NodeRefs) == 0 || pool.Spec.Replicas != nil && *pool.Spec.Replicas == 0 || l.owns(pool) || !l.picks(c, machineOf(pool)) {
			continue
		}
		l.add(c.find(Warning, fieldSelector, fmt.Sprintf(
			"it would select the Machines of MachinePool %s, which has none, as its provider makes none: nobody judges or repairs its Nodes", pool.Name)))
	}
}

// owns reports whether a MachinePool has Machines.
func (l *linter) owns(pool *clusterv1.MachinePool) bool {
	for i := range l.fleet.Machines {
		if owner := metav1.GetControllerOfNoCopy(&l.fleet.Machines[i]); owner != nil && owner.UID == pool.UID {
			return true
		}
	}
	return false
}

// machineOf returns a Machine as Cluster API makes it for a MachinePool whose provider supports that.
func machineOf(pool *clusterv1.MachinePool) *clusterv1.Machine {
	machine := &clusterv1.Machine{}
	machine.Namespace, machine.Name, machine.Spec.ClusterName = pool.Namespace, pool.Name, pool.Spec.ClusterName
	machine.Labels = map[string]string{clusterv1.MachinePoolNameLabel: pool.Name, clusterv1.ClusterNameLabel: pool.Spec.ClusterName}
	maps.Copy(machine.Labels, pool.Spec.Template.Labels)
	return machine
}
