package convert

import (
	"go.yaml.in/yaml/v3"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// openShift converts a MachineHealthCheck of OpenShift's machine API. It names no cluster, and its selector uses OpenShift's
// labels.
func (c *conversion) openShift() []*yaml.Node {
	spec := c.spec()
	if spec == nil {
		return nil
	}
	name := c.options.Cluster
	if label := manifest.Get(manifest.Get(manifest.Get(spec, "selector"), "matchLabels"), openShiftCluster); name == "" && label != nil {
		name = label.Value
	}
	if name == "" {
		c.refuse(c.root, "it names no cluster; give --cluster NAME")
		return nil
	}
	c.setVersion()
	c.setCluster(spec, name)
	oneSet := manifest.Get(manifest.Get(manifest.Get(spec, "selector"), "matchLabels"), openShiftSet) != nil
	c.selector(spec, name, func(r requirement, cluster string) (requirement, fate) {
		to, fate := openShiftLabels(r, cluster)
		if fate == widened && oneSet {
			fate = renamed
		}
		return to, fate
	})
	c.fields(spec)
	c.dropUnknown(spec)
	c.dropServerFields()
	return []*yaml.Node{c.root}
}

// setCluster writes the cluster's name first in the spec.
func (c *conversion) setCluster(spec *yaml.Node, name string) {
	if key, value := take(spec, "clusterName"); key != nil && value.Value != name {
		c.lose(key, value, "the cluster is "+name)
	}
	insert(spec, text("clusterName"), text(name), 0)
}

// Labels of OpenShift's Machines.
const (
	openShiftCluster = "machine.openshift.io/cluster-api-cluster"
	openShiftSet     = "machine.openshift.io/cluster-api-machineset"
	openShiftRole    = "machine.openshift.io/cluster-api-machine-role"
	openShiftType    = "machine.openshift.io/cluster-api-machine-type"
)

// openShiftLabels translates a label of OpenShift to the label of Cluster API's Machines. Machines that are not in the control
// plane are workers, or have a custom role.
func openShiftLabels(r requirement, cluster string) (requirement, fate) {
	switch r.key {
	case openShiftCluster:
		if _, ok := r.equal(); ok {
			return requirement{key: clusterv1.ClusterNameLabel, operator: in, values: []string{cluster}}, renamed
		}
	case openShiftSet:
		r.key = clusterv1.MachineSetNameLabel
		return r, renamed
	case openShiftRole, openShiftType:
		value, ok := r.equal()
		switch {
		case ok && value == "master":
			return requirement{key: clusterv1.MachineControlPlaneLabel, operator: exists}, renamed
		case ok && value == "worker":
			return requirement{key: clusterv1.MachineControlPlaneLabel, operator: doesNotExist}, widened
		}
	default:
		if !inDomain(r.key, "machine.openshift.io") {
			return r, same
		}
	}
	return r, unknown
}
