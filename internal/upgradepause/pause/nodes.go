package pause

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// MachineOfNode is the annotation in which OpenShift stores the Machine of a Node: namespace/name.
const MachineOfNode = "machine.openshift.io/machine"

// NotReady returns the names of the machines without a Ready Node, sorted.
func NotReady(machines map[string][]*corev1.Node) []string {
	var names []string
	for machine, nodes := range machines {
		if !slices.ContainsFunc(nodes, isReady) {
			names = append(names, machine)
		}
	}
	slices.Sort(names)
	return names
}

func isReady(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}
