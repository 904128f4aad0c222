// Package uninstall finds what Sickbay has written and has not taken back yet. It only reads, with the permissions of the person who asks: a
// manager that drains takes everything back.
package uninstall

import (
	"encoding/json"
	"slices"
	"strings"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/annotationkeys"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck/adoption"
)

var (
	clusters = clusterv1.GroupVersion.WithKind("Cluster")
	records  = v1alpha1.GroupVersion.WithKind("MachineRemediation")
	cycles   = v1alpha1.GroupVersion.WithKind("RebootRemediation")
)

// kinds are the kinds that Sickbay writes to, or on which people tell it what to do. It also writes requests and Nodes, but the record or the power
// cycle keeps its finalizer until that is taken back.
var kinds = []schema.GroupVersionKind{
	metal3v1.GroupVersion.WithKind("BareMetalHost"),
	clusterv1.GroupVersion.WithKind("Machine"), machinev1.GroupVersion.WithKind("Machine"),
	clusterv1.GroupVersion.WithKind("MachineHealthCheck"), machinev1.GroupVersion.WithKind("MachineHealthCheck"),
	clusters, records, cycles,
}

// ours says what Sickbay has to take back of an object. An object that is being deleted takes its fields along.
func ours(obj *unstructured.Unstructured) []string {
	switch obj.GroupVersionKind() {
	case records, cycles:
		if slices.ContainsFunc(obj.GetFinalizers(), func(name string) bool {
			return name == v1alpha1.RemediationFinalizer || name == cycle.Finalizer || name == cycle.NodeFinalizer
		}) {
			return []string{openOrClosing(obj)}
		}
		return nil
	}
	if obj.GetDeletionTimestamp() != nil {
		return nil
	}
	var all []string
	for _, entry := range obj.GetManagedFields() {
		all = append(all, written(obj, entry)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// openOrClosing says why a record or a power cycle still has a finalizer. A record that has ended keeps it until late acts are out.
func openOrClosing(obj *unstructured.Unstructured) string {
	if ended, _, _ := unstructured.NestedString(obj.Object, "status", "completionTime"); ended != "" {
		return "it has ended, and its finalizer goes within minutes"
	}
	return "it is not over"
}

// written describes what a field manager of Sickbay's has to take back.
func written(obj *unstructured.Unstructured, entry metav1.ManagedFieldsEntry) []string {
	if !ownwrites.OfManager(entry.Manager) || entry.FieldsV1 == nil {
		return nil
	}
	names := fields(entry.FieldsV1.GetRawBytes(), nil)
	if handsOver(obj) {
		// After a pause for an upgrade, the manager wrote that again.
		names = slices.DeleteFunc(names, func(name string) bool { return name == annotated+clusterv1.PausedAnnotation })
	}
	return names
}

// fields names the fields in a set of managed fields. Of a list, it names the items.
func fields(set json.RawMessage, at []string) (names []string) {
	var below map[string]json.RawMessage
	if json.Unmarshal(set, &below) != nil || len(below) == 0 {
		return []string{nameOf(at)}
	}
	for key, value := range below {
		item, isItem := strings.CutPrefix(key, "k:")
		switch {
		case key == ".":
		case isItem:
			names = append(names, nameOf(append(slices.Clone(at), item)))
		default:
			names = append(names, fields(value, append(slices.Clone(at), strings.TrimPrefix(key, "f:")))...)
		}
	}
	return names
}

// annotated begins the name of an annotation among the fields.
const annotated = "annotation "

// nameOf names a field for people.
func nameOf(at []string) string {
	if len(at) == 3 {
		var item map[string]string
		_ = json.Unmarshal([]byte(at[2]), &item) // Only conditions have a type.
		switch parent := strings.Join(at[:2], "."); parent {
		case "metadata.annotations":
			return annotated + at[2]
		case "metadata.labels":
			return "label " + at[2]
		case "status.conditions":
			return "condition " + item["type"]
		case "metadata.ownerReferences":
			return "an owner reference"
		}
	}
	return strings.Join(at, ".")
}

// yours returns the annotations of an object by which people told Sickbay what to do.
func yours(obj *unstructured.Unstructured) (names []string) {
	known, taken := annotationkeys.On(obj.GetKind()), ours(obj)
	for name := range obj.GetAnnotations() {
		ours := slices.Contains(taken, annotated+name) ||
			slices.ContainsFunc(known, func(a annotationkeys.Annotation) bool { return a.Key == name && a.By == annotationkeys.Sickbay })
		if name == clusterv1.PausedAnnotation && handsOver(obj) || strings.HasPrefix(name, annotationkeys.Prefix) && known != nil && !ours {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// handsOver reports whether a person hands a MachineHealthCheck over to Sickbay by its annotation. If a label does so, the annotation is Sickbay's.
func handsOver(obj *unstructured.Unstructured) bool {
	return obj.GetKind() == annotationkeys.HealthCheck && obj.GetAnnotations()[clusterv1.PausedAnnotation] == mhcspec.HandedOverValue && adoption.Owner(obj) == ""
}
