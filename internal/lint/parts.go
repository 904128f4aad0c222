package lint

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/convert"
	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// topology is the control plane or a MachineDeployment of a Cluster with a topology.
type topology struct {
	// class is the ClusterClass, and part the class of the MachineDeployment; empty for the control plane.
	class, part string
	// n is how many machines it has; negative if something else decides that.
	n int
	// own reports whether it has a health check of its own, or none.
	own bool
}

// parts reads the health checks that are part of an object.
func (l *linter) parts(obj manifest.Object) {
	for _, part := range convert.Parts(obj) {
		whole := valuesOf(part.Owner)
		name := part.Path[strings.LastIndex(part.Path, ".")+1:]
		spec := maps.Clone(fields(whole[name]))
		on := firstBool(spec["enabled"], spec["enable"])
		delete(spec, "enabled")
		delete(spec, "enable")
		if !on || len(spec) == 0 {
			continue
		}
		c := check{place: place{obj: obj, node: part.Check, moved: part.Paths, within: part.Path}, embedded: true, controlPlane: part.ControlPlane, spec: spec}
		c.class, _ = whole["class"].(string)
		c.paced = fields(spec["remediation"])["maxInFlight"] != nil || fields(fields(whole["strategy"])["remediation"])["maxInFlight"] != nil
		if n := replicas(whole["replicas"], fields(fields(whole["metadata"])["annotations"])); n >= 0 {
			c.sizes = []int{n}
		}
		if decodeNode(part.Check, &c.mhc) == nil {
			l.checks = append(l.checks, c)
		}
	}
}

// firstBool returns the first of some values that is a bool; true if none is.
func firstBool(values ...any) bool {
	for _, value := range values {
		if on, ok := value.(bool); ok {
			return on
		}
	}
	return true
}

// valuesOf decodes a node.
func valuesOf(n *yaml.Node) (values map[string]any) {
	if decodeNode(n, &values) != nil {
		return nil
	}
	return values
}

// topologies reads what a Cluster with a topology consists of, and adds its machines.
func (l *linter) topologies(obj manifest.Object) {
	of := fields(fields(obj.Value["spec"])["topology"])
	class, _ := of["class"].(string)
	if name, ok := fields(of["classRef"])["name"].(string); ok {
		class = name
	}
	own := func(labels map[string]string) map[string]string {
		labels[clusterv1.ClusterTopologyOwnedLabel] = ""
		return labels
	}
	add := func(one map[string]any, labels map[string]string) {
		metadata := fields(one["metadata"])
		part, _ := one["class"].(string)
		n := replicas(one["replicas"], fields(metadata["annotations"]))
		l.topologied = append(l.topologied, topology{class, part, n, one["healthCheck"] != nil || one["machineHealthCheck"] != nil})
		l.pool(obj, obj.Name(), n, fields(metadata["labels"]), own(labels))
	}
	if plane := fields(of["controlPlane"]); len(plane) > 0 {
		add(plane, map[string]string{clusterv1.MachineControlPlaneLabel: ""})
	}
	deployments, _ := fields(of["workers"])["machineDeployments"].([]any)
	for _, one := range deployments {
		name, _ := fields(one)["name"].(string)
		add(fields(one), map[string]string{clusterv1.ClusterTopologyMachineDeploymentNameLabel: name, clusterv1.MachineDeploymentNameLabel: "*", clusterv1.MachineSetNameLabel: "*"})
	}
}

// replicas returns how many machines something has; negative if something else decides that.
func replicas(n any, annotations map[string]any) int {
	for _, annotation := range autoscaled {
		if annotations[annotation] != nil {
			return -1
		}
	}
	switch n := n.(type) {
	case int64:
		return int(min(n, mostOfAPool))
	case float64:
		return int(min(n, mostOfAPool))
	}
	return -1
}

// sizesOf returns the numbers of machines that a part is for.
func (l *linter) sizesOf(c *check) []int {
	sizes := c.sizes
	for _, one := range l.topologied {
		if c.obj.Kind().Kind == "ClusterClass" && one.class == c.obj.Name() && one.part == c.class && !one.own && one.n >= 0 {
			sizes = append(sizes, one.n)
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}
