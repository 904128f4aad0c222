package pause

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// These are the pools of every OpenShift cluster. All other pools are custom.
const (
	WorkerPool = "worker"
	masterPool = "master"
)

// InPool reports whether one of the Nodes is in a pool, or may be: if the pool's selector is invalid, any Node may be in it.
func InPool(nodes []*corev1.Node, pool *mcfgv1.MachineConfigPool, all []mcfgv1.MachineConfigPool) bool {
	if _, err := metav1.LabelSelectorAsSelector(pool.Spec.NodeSelector); err != nil {
		return true
	}
	return slices.ContainsFunc(nodes, func(n *corev1.Node) bool { return poolOf(n, all) == pool.Name })
}

// poolOf returns the pool of a Node, by the rules of OpenShift's machine config operator; empty if it is in none. If several pools
// select it, the masters' pool wins and the workers' pool comes last. A Node that two custom pools select is in none.
func poolOf(node *corev1.Node, all []mcfgv1.MachineConfigPool) string {
	if node.Labels[corev1.LabelOSStable] == string(corev1.Windows) {
		return ""
	}
	var custom []string
	selected := map[string]bool{}
	for i := range all {
		pool := &all[i]
		selector, err := metav1.LabelSelectorAsSelector(pool.Spec.NodeSelector)
		if err != nil || selector.Empty() || !selector.Matches(labels.Set(node.Labels)) {
			continue
		}
		selected[pool.Name] = true
		if pool.Name != masterPool && pool.Name != WorkerPool {
			custom = append(custom, pool.Name)
		}
	}
	switch {
	case len(custom) > 1:
		return ""
	case selected[masterPool]:
		return masterPool
	case len(custom) == 1:
		return custom[0]
	case selected[WorkerPool]:
		return WorkerPool
	}
	return ""
}
