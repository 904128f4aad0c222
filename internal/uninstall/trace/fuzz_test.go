package trace

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// FuzzOf: whatever annotations and managed fields an object has, what is ours can be removed, write by write, and that ends.
func FuzzOf(f *testing.F) {
	for _, seed := range [][3]string{
		{"sickbay.dev/max-in-flight", "1", annotated("sickbay.dev/max-in-flight")},
		{"reboot.metal3.io/sickbay-u-2", `{"mode":"hard","request":"u-2"}`, "{}"},
		{"reboot.metal3.io", `{"mode":"hard","request":"u-2"}`, "null"},
		{"cluster.x-k8s.io/paused", "upgrade", `{"f:metadata":{"f:annotations":[]}}`},
		{"capi.metal3.io/unhealthy", "sickbay/PowerCycleFailed", condition("HealthCheckSucceeded", "OwnerRemediated")},
		{"sickbay.dev/~1/~0", "\u2028", `{"f:status":{"f:conditions":{"k:{\"type\":\"HealthCheckSucceeded\"}":null}}}`},
		{"", "", `{"f:status":null}`},
		{"machine.openshift.io/paused-for-upgrade", "", `{"f:metadata":{"f:annotations":{"f:machine.openshift.io/paused-for-upgrade":{}}},"f:status":{"f:conditions":{"k:{":{}}}}`},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, name, value, fields string) {
		var set map[string]any
		if !utf8.ValidString(name+value+fields) || json.Unmarshal([]byte(fields), &set) != nil {
			t.Skip("the API has no such text")
		}
		for _, kind := range []schema.GroupVersionKind{Hosts, Machines, OpenShiftMachines, Checks, OpenShiftChecks, Clusters, Plans, RebootTemplates} {
			obj := object(t, kind, "status: {conditions: ["+verdict+", "+mark+", "+ready+"]}", nil)
			obj.SetAnnotations(map[string]string{name: value, "example.dev/x": "z"})
			obj.SetManagedFields([]metav1.ManagedFieldsEntry{
				{Manager: machineHC, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields)},
				{Manager: "them", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(annotated("example.dev/x"))},
			})
			takeAll(t, obj)
		}
	})
}

func takeAll(t *testing.T, obj *unstructured.Unstructured) {
	t.Helper()
	kind := obj.GetKind()
	for range 20 {
		found := Of(obj, Options{Annotations: true})
		if len(found.Ours) == 0 {
			break
		}
		if found.Ours[0].Deletes() {
			t.Fatalf("the whole %s is to go: %q", kind, found.What())
		}
		obj = carryOut(t, obj, found.Ours[0])
	}
	if left := Of(obj, Options{Annotations: true}); len(left.Ours) > 0 {
		t.Errorf("of %s there is still %q", kind, left.What())
	}
	for name := range obj.GetAnnotations() {
		if strings.HasPrefix(name, "sickbay.dev/") {
			t.Errorf("of %s the annotation %q stays", kind, name)
		}
	}
	if obj.GetAnnotations()["example.dev/x"] != "z" {
		t.Errorf("of %s the annotation of others is gone", kind)
	}
}
