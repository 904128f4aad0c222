package convert

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// The names of a health check that is part of a ClusterClass, or of the topology of a Cluster: today's, and that of v1beta1.
const (
	embedded    = "healthCheck"
	embeddedOld = "machineHealthCheck"
)

// Part is a health check that is part of a ClusterClass, or of the topology of a Cluster.
type Part struct {
	// Path is the field of the object that has it.
	Path string
	// ControlPlane reports whether the part belongs to the control plane, and not to a MachineDeployment.
	ControlPlane bool
	// Check is the part as a MachineHealthCheck of v1beta2, for cluster "cluster".
	Check *yaml.Node
	// Paths are the original fields of its values.
	Paths map[*yaml.Node]string
	// Owner is the control plane or the MachineDeployment that has the part, as written.
	Owner *yaml.Node
}

// Embeds reports whether objects of a kind may have health checks as parts.
func Embeds(kind schema.GroupVersionKind) bool {
	return kind.Group == clusterv1.GroupVersion.Group && slices.Contains([]string{"ClusterClass", "Cluster"}, kind.Kind) &&
		slices.Contains([]string{"v1beta1", clusterv1.GroupVersion.Version}, kind.Version)
}

// Parts returns the health checks that are part of an object.
func Parts(obj manifest.Object) (parts []Part) {
	if !Embeds(obj.Kind()) || len(manifest.Duplicates(obj.Node)) > 0 {
		return nil
	}
	root, err := expand(obj.Node)
	if err != nil {
		return nil
	}
	c := newConversion(obj, root, Options{Namespace: obj.Namespace()})
	for _, owner := range owners(root, c.kind) {
		for _, name := range []string{embedded, embeddedOld} {
			value := manifest.Get(owner.node, name)
			if value == nil || !c.wellFormed(value) {
				continue
			}
			part := Part{Path: owner.path + "." + name, ControlPlane: owner.controlPlane, Paths: c.paths}
			part.Owner, _ = expand(owner.node)
			c.changed = true
			c.fields(value)
			c.dropUnknown(value, "enabled")
			take(value, "enabled")
			part.Check = asCheck(obj, value)
			parts = append(parts, part)
		}
	}
	return parts
}

// asCheck makes a MachineHealthCheck of a part. Whatever it selects, it can be used.
func asCheck(obj manifest.Object, part *yaml.Node) *yaml.Node {
	metadata := mapping(text("name"), text(obj.Name()))
	if obj.Namespace() != "" {
		insert(metadata, text("namespace"), text(obj.Namespace()), end)
	}
	insert(part, text("clusterName"), text("cluster"), 0)
	insert(part, text("selector"), mapping(text("matchLabels"), mapping(text(clusterv1.ClusterNameLabel), text("cluster"))), 2)
	return mapping(text("apiVersion"), text(clusterv1.GroupVersion.String()), text("kind"), text("MachineHealthCheck"),
		text("metadata"), metadata, text("spec"), part)
}

// owner is a control plane or a MachineDeployment, which may have a health check.
type owner struct {
	path         string
	node         *yaml.Node
	controlPlane bool
}

// owners returns the control plane and the MachineDeployments of a ClusterClass, or of the topology of a Cluster.
func owners(root *yaml.Node, kind schema.GroupVersionKind) (all []owner) {
	path, at := "spec", manifest.Get(root, "spec")
	if kind.Kind == "Cluster" {
		path, at = path+".topology", manifest.Get(at, "topology")
	}
	if plane := manifest.Get(at, "controlPlane"); plane != nil && plane.Kind == yaml.MappingNode {
		all = append(all, owner{path + ".controlPlane", plane, true})
	}
	deployments := manifest.Get(manifest.Get(at, "workers"), "machineDeployments")
	for i := 0; deployments != nil && deployments.Kind == yaml.SequenceNode && i < len(deployments.Content); i++ {
		if one := manifest.Resolve(deployments.Content[i]); one.Kind == yaml.MappingNode {
			all = append(all, owner{fmt.Sprintf("%s.workers.machineDeployments[%d]", path, i), one, false})
		}
	}
	return all
}

// topology converts the health checks in a ClusterClass, or in the topology of a Cluster. One of v1beta1 becomes one of v1beta2, as
// Cluster API itself converts it.
func (c *conversion) topology() []*yaml.Node {
	c.embedded = true
	all := owners(c.root, c.kind)
	if !slices.ContainsFunc(all, owner.checked) {
		return nil
	}
	older := c.kind.GroupVersion() != clusterv1.GroupVersion
	c.changed = older
	for _, one := range all {
		if !c.part(one) {
			return nil
		}
	}
	if !c.changed {
		return nil
	}
	if older {
		if err := c.whole(all); err != nil {
			c.refuse(c.root, oneLine(err.Error()))
			return nil
		}
	}
	c.dropServerFields()
	return []*yaml.Node{c.root}
}

func (o owner) checked() bool {
	return manifest.Index(o.node, embedded) >= 0 || manifest.Index(o.node, embeddedOld) >= 0
}

// part converts the health check of an owner in place; false if it cannot.
func (c *conversion) part(of owner) bool {
	if i := manifest.Index(of.node, embeddedOld); i >= 0 {
		if manifest.Index(of.node, embedded) >= 0 {
			c.refuse(of.node.Content[i], "it has both this and "+embedded+", which is its name today")
			return false
		}
		c.changed = true
		of.node.Content[i].Value = embedded
	}
	value := manifest.Get(of.node, embedded)
	if value == nil {
		return true
	}
	if !c.wellFormed(value) {
		return false
	}
	if i := manifest.Index(value, "enable"); i >= 0 && manifest.Index(value, "enabled") < 0 {
		c.changed = true
		value.Content[i].Value = "enabled"
	}
	before := len(c.lost)
	c.fields(value)
	if c.changed || before < len(c.lost) {
		c.dropUnknown(value, "enabled")
	}
	return true
}
