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
}

// Note is a remark about a conversion.
type Note struct {
	File  string
	Line  int
	Field string
	// Lost reports that something could not be expressed.
	Lost    bool
	Message string
}

// Converted is the result of a conversion.
type Converted struct {
	// Nodes are the objects that replace it; nil if it stays unchanged.
	Nodes []*yaml.Node
	Notes []Note
	// Paths are the original fields of values that were moved.
	Paths map[*yaml.Node]string
}

// dialect converts one family of health checks.
type dialect func(c *conversion) []*yaml.Node

// dialectOf returns the dialect of a kind; nil for kinds that are not converted.
func dialectOf(kind schema.GroupVersionKind) dialect {
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

// Known reports whether a kind is one of the dialects.
func Known(kind schema.GroupVersionKind) bool { return dialectOf(kind) != nil }

// Object converts an object. Objects of other kinds, or in the current form, stay unchanged.
func Object(obj manifest.Object, o Options) Converted {
	speak := dialectOf(obj.Kind())
	if speak == nil {
		return Converted{}
	}
	stays := func(line int, why string) Converted {
		return Converted{Notes: []Note{{File: obj.File, Line: line, Lost: true, Message: "it stays as it is: " + why}}}
	}
	if twice := manifest.Duplicates(obj.Node); len(twice) > 0 {
		return stays(twice[0].Line, "the field "+twice[0].Value+" is there twice")
	}
	root, err := expand(obj.Node)
	if err != nil {
		return stays(obj.Node.Line, err.Error())
	}
	c := &conversion{options: o, file: obj.File, kind: obj.Kind(), root: root, paths: map[*yaml.Node]string{}}
	c.remember(root, "")
	nodes := speak(c)
	if c.refused || !c.changed {
		return Converted{Notes: c.refusals()}
	}
	c.keepComments(obj.Node, nodes)
	c.tellLosses(nodes[len(nodes)-1])
	slices.SortStableFunc(c.notes, func(a, b Note) int { return a.Line - b.Line })
	return Converted{Nodes: nodes, Notes: c.notes, Paths: c.paths}
}
