package uninstall

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/uninstall/trace"
)

// requestKinds are the kinds of requests that Sickbay may have made, according to the templates that health checks, plans and
// records name.
type requestKinds map[schema.GroupVersionKind]bool

// of adds the kinds that an object names.
func (r requestKinds) of(obj *unstructured.Unstructured) {
	switch obj.GroupVersionKind() {
	case trace.Checks:
		ref, _, _ := unstructured.NestedStringMap(obj.Object, "spec", "remediation", "templateRef")
		r.template(ref["apiVersion"], ref["kind"])
	case trace.Plans:
		r.steps(obj, "spec", "template", "spec", "steps")
	case trace.Records:
		r.steps(obj, "spec", "steps")
		attempts, _, _ := unstructured.NestedSlice(obj.Object, "status", "attempts")
		for _, attempt := range attempts {
			fields, _ := attempt.(map[string]any)
			ref, _, _ := unstructured.NestedStringMap(fields, "objectRef")
			r.add(schema.FromAPIVersionAndKind(ref["apiVersion"], ref["kind"]))
		}
	}
}

func (r requestKinds) steps(obj *unstructured.Unstructured, at ...string) {
	steps, _, _ := unstructured.NestedSlice(obj.Object, at...)
	for _, step := range steps {
		fields, _ := step.(map[string]any)
		ref, _, _ := unstructured.NestedStringMap(fields, "templateRef")
		r.template(ref["apiVersion"], ref["kind"])
	}
}

func (r requestKinds) template(apiVersion, kind string) {
	if request, ok := strings.CutSuffix(kind, clusterv1.TemplateSuffix); ok {
		r.add(schema.FromAPIVersionAndKind(apiVersion, request))
	}
}

// add adds a kind, unless it is read anyway: a repair by the owner names the Machine.
func (r requestKinds) add(kind schema.GroupVersionKind) {
	if kind.Kind != "" && kind.Group != v1alpha1.GroupVersion.Group && kind.GroupKind() != trace.Machines.GroupKind() {
		r[kind] = true
	}
}

func (r requestKinds) sorted() []schema.GroupVersionKind {
	return slices.SortedFunc(maps.Keys(r), func(a, b schema.GroupVersionKind) int { return cmp.Compare(a.String(), b.String()) })
}
