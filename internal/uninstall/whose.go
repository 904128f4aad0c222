package uninstall

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/annotationkeys"
	"github.com/sickbay-dev/sickbay/internal/lease/scope"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck/adoption"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
)

// missing says which manager is missing that takes back what is left of an item; empty if some leader takes back each part.
func (s Seen) missing(item Item) string {
	namespace := item.Object.GetNamespace()
	there := slices.DeleteFunc(slices.Clone(s.Leaders), func(one Leader) bool { return !one.Scope.Looks(namespace) })
	if len(there) == 0 {
		return "No manager that drains looks at namespace " + namespace + ". Start one for all namespaces, or use -n"
	}
	for _, controller := range writers(item.Object) {
		if !slices.ContainsFunc(there, func(one Leader) bool { return takes(one.Scope, item.Object, controller) }) {
			return fmt.Sprintf("No manager that drains takes back %s. Start one with the controller %s%s", item, controller, filterOf(item.Object))
		}
	}
	return ""
}

// writers returns the controllers that take an object back. Those that wrote its fields are in the names of the field managers.
func writers(obj *unstructured.Unstructured) (controllers []string) {
	switch obj.GroupVersionKind() {
	case records:
		return []string{remediation.ControllerName}
	case cycles:
		return []string{reboot.ControllerName}
	}
	for _, entry := range obj.GetManagedFields() {
		switch {
		case len(written(obj, entry)) == 0:
		case entry.Manager == adoption.FieldOwner, entry.Manager == adoption.NamespaceOwner:
			// It runs beside that controller.
			controllers = append(controllers, machinehealthcheck.ControllerName)
		default:
			controllers = append(controllers, strings.TrimSuffix(strings.TrimPrefix(entry.Manager, ownwrites.OwnerPrefix), "-metadata"))
		}
	}
	return controllers
}

// takes reports whether a manager of a scope takes back what a controller left on an object. The filter is compared as that controller does: most also
// take what has no label, as nobody else may.
func takes(s scope.Scope, obj *unstructured.Unstructured, controller string) bool {
	if len(s.Controllers) > 0 && !slices.Contains(s.Controllers, controller) {
		return false
	}
	label := obj.GetLabels()[clusterv1.WatchLabel]
	if s.WatchFilter == "" || label == s.WatchFilter || !filtered(obj) {
		return true
	}
	_, asked, _ := unstructured.NestedMap(obj.Object, "spec", "requestedBy")
	strict := controller == machinehealthcheck.ControllerName || asked && obj.GroupVersionKind() == records
	return label == "" && !strict
}

// filtered reports whether an object has the label itself by which a manager filters. A host has none, and a Machine that of another object.
func filtered(obj *unstructured.Unstructured) bool {
	switch obj.GroupVersionKind() {
	case clusters, records, cycles:
		return true
	}
	return obj.GetKind() == annotationkeys.HealthCheck
}

func filterOf(obj *unstructured.Unstructured) string {
	switch label := obj.GetLabels()[clusterv1.WatchLabel]; {
	case !filtered(obj):
		return ""
	case label == "":
		return " and without --watch-filter"
	default:
		return " and --watch-filter=" + label + ", or none"
	}
}
