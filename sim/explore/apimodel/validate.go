package apimodel

import (
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

var recordKind = v1alpha1.GroupVersion.WithKind("MachineRemediation")

// validate rejects what the definition of a MachineRemediation rejects: a change of the spec other than in grant and decision, and a lower grant. It
// also rejects two conditions of one type, as all definitions do. Tests on a real API server cover the other definitions.
func validate(gvk schema.GroupVersionKind, old, next map[string]any) error {
	status, _ := next["status"].(map[string]any)
	types := map[string]bool{}
	for _, c := range conditions(status) {
		if types[text(c, "type")] {
			return invalid(request{gvk: gvk}, "status.conditions: duplicate value: "+text(c, "type"))
		}
		types[text(c, "type")] = true
	}
	if gvk != recordKind || old == nil || identical(old["spec"], next["spec"]) {
		return nil
	}
	r := request{gvk: gvk}
	before, after := section(old, "spec"), section(next, "spec")
	if number(after, "grant") < number(before, "grant") {
		return invalid(r, "spec.grant: must not be less than before")
	}
	if !reflect.DeepEqual(immutable(before), immutable(after)) {
		return invalid(r, "spec is immutable except for grant and decision")
	}
	return nil
}

func immutable(spec map[string]any) map[string]any {
	rest := maps.Clone(spec)
	delete(rest, "grant")
	delete(rest, "decision")
	return rest
}
