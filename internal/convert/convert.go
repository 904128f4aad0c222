package convert

import (
	"slices"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// Options add what the manifests of other dialects lack.
type Options struct {
	// Cluster is the name of the Cluster, for health checks that name none.
	Cluster string
	// Namespace is the namespace for objects without one, such as NodeHealthChecks.
	Namespace string
	// Unrendered converts templates as well, to look at what is in them.
	Unrendered bool
}

// Note is a remark about a conversion.
type Note struct {
	File  string
	Line  int
	Field string
	// Lost reports that something could not be expressed.
	Lost bool
	// Template reports that the object is a template, which has to be rendered first.
	Template bool
	Message  string
}

// Converted is the result of a conversion.
type Converted struct {
	// Nodes are the objects that replace it; nil if it stays unchanged.
	Nodes []*yaml.Node
	Notes []Note
	// Paths are the original fields of values that were moved.
	Paths map[*yaml.Node]string
}

func newConversion(obj manifest.Object, root *yaml.Node, o Options) *conversion {
	c := &conversion{options: o, file: obj.File, kind: obj.Kind(), root: root, paths: map[*yaml.Node]string{}}
	c.remember(root, "")
	return c
}

// dialect converts one family of health checks.
type dialect func(c *conversion) []*yaml.Node

// dialectOf returns the dialect of a kind; nil for kinds that are not converted.
func dialectOf(kind schema.GroupVersionKind) dialect {
	if Embeds(kind) {
		return (*conversion).topology
	}
	switch kind.GroupKind() {
	case schema.GroupKind{Group: clusterv1.GroupVersion.Group, Kind: "MachineHealthCheck"}:
		if slices.Contains([]string{"v1alpha3", "v1alpha4", "v1beta1", clusterv1.GroupVersion.Version}, kind.Version) {
			return (*conversion).clusterAPI
		}
	case schema.GroupKind{Group: "machine.openshift.io", Kind: "MachineHealthCheck"}:
		if kind.Version == "v1beta1" {
			return (*conversion).openShift
		}
	case schema.GroupKind{Group: "remediation.medik8s.io", Kind: "NodeHealthCheck"}:
		if kind.Version == "v1alpha1" {
			return (*conversion).nodeHealthCheck
		}
	}
	return nil
}

// Known reports whether a kind is a health check of one of the dialects.
func Known(kind schema.GroupVersionKind) bool { return dialectOf(kind) != nil && !Embeds(kind) }

// Stays begins the message of a Note about an object that is not converted.
const Stays = "it stays as it is: "

// TemplateOf returns what has to be filled in first in the health checks and plans of a document; nil if there is nothing.
func TemplateOf(d *manifest.Document) *manifest.Template {
	for _, obj := range d.Objects {
		kind := obj.Kind()
		_, _, topology := manifest.At(obj.Node, "spec.topology")
		if !Known(kind) && kind.Group != planGroup.Group && (!Embeds(kind) || kind.Kind == "Cluster" && !topology) {
			continue
		}
		if t := Template(obj); t != nil {
			return t
		}
	}
	return nil
}

// Template returns what has to be filled in before an object is a manifest; nil if there is nothing.
func Template(obj manifest.Object) *manifest.Template {
	var relevant []*yaml.Node
	switch {
	case !Embeds(obj.Kind()):
		relevant = []*yaml.Node{obj.Node}
	case obj.Kind().Kind == "Cluster":
		relevant = outsideVariables(obj.Node)
	default:
		// The patches of a ClusterClass are templates in their own right.
		relevant = []*yaml.Node{manifest.Get(obj.Node, "metadata")}
		for _, one := range owners(obj.Node, obj.Kind()) {
			relevant = append(relevant, manifest.Get(one.node, embedded), manifest.Get(one.node, embeddedOld))
		}
	}
	return obj.TemplateIn(relevant...)
}

// outsideVariables returns the scalars of a node that are not in the variables of a topology, which may hold what a machine fills in.
func outsideVariables(n *yaml.Node) (all []*yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		return []*yaml.Node{n}
	}
	for i, child := range n.Content {
		if !isFree(n, i) {
			all = append(all, outsideVariables(child)...)
		}
	}
	return all
}

// Object converts an object. Objects of other kinds, or in the current form, stay unchanged.
func Object(obj manifest.Object, o Options) Converted {
	speak := dialectOf(obj.Kind())
	if speak == nil {
		return Converted{}
	}
	stays := func(line int, why string) Converted {
		return Converted{Notes: []Note{{File: obj.File, Line: line, Lost: true, Message: Stays + why}}}
	}
	if twice := manifest.Duplicates(obj.Node); len(twice) > 0 {
		return stays(twice[0].Line, "the field "+twice[0].Value+" is there twice")
	}
	root, err := expand(obj.Node)
	if err != nil {
		return stays(obj.Node.Line, err.Error())
	}
	c := newConversion(obj, root, o)
	nodes := speak(c)
	if t := Template(obj); t != nil && !o.Unrendered && (c.refused || c.changed) {
		return Converted{Notes: []Note{{File: obj.File, Line: t.Line, Lost: true, Template: true, Message: Stays + t.Message("convert")}}}
	}
	if c.refused || !c.changed {
		return Converted{Notes: c.refusals()}
	}
	c.brokenExpressions(manifest.Get(c.root, "spec"))
	c.keepComments(obj.Node, nodes)
	c.tellLosses(nodes[len(nodes)-1])
	slices.SortStableFunc(c.notes, func(a, b Note) int { return a.Line - b.Line })
	return Converted{Nodes: nodes, Notes: c.notes, Paths: c.paths}
}
