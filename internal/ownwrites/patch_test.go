package ownwrites

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestData: each patch contains what it depends on.
func TestData(t *testing.T) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", UID: "u", ResourceVersion: "7"}}
	for name, tt := range map[string]struct {
		patch client.Patch
		want  string
	}{
		"annotations": {
			Annotations(node, map[string]*string{"a": new("b"), "c": nil}),
			`{"metadata":{"annotations":{"a":"b","c":null},"resourceVersion":"7","uid":"u"}}`,
		},
		"spec": {
			MergePatch{Of: node, Spec: map[string]any{"unschedulable": true}},
			`{"metadata":{"resourceVersion":"7","uid":"u"},"spec":{"unschedulable":true}}`,
		},
		"operations": {
			JSONPatch{TestUID(node), Test(AnnotationPath("a/b~c"), nil), Test("/spec/n", int32(0)), Remove("/spec/taints/0")},
			`[{"op":"test","path":"/metadata/uid","value":"u"},{"op":"test","path":"/metadata/annotations/a~1b~0c","value":null},` +
				`{"op":"test","path":"/spec/n","value":0},{"op":"remove","path":"/spec/taints/0"}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := tt.patch.Data(node); err != nil || string(got) != tt.want {
				t.Errorf("%s and error %v, want %s", got, err, tt.want)
			}
		})
	}
}

// TestTestFailed: if the API server refuses the patched object itself, no test has failed.
func TestTestFailed(t *testing.T) {
	kind := schema.GroupKind{Kind: "Node"}
	refused := field.ErrorList{field.Required(field.NewPath("spec"), "")}
	for name, tt := range map[string]struct {
		err  error
		want bool
	}{
		"none":        {nil, false},
		"another":     {errors.New("no"), false},
		"a test":      {apierrors.NewInvalid(kind, "n", nil), true},
		"the object":  {apierrors.NewInvalid(kind, "n", refused), false},
		"the version": {apierrors.NewConflict(schema.GroupResource{}, "n", nil), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := TestFailed(tt.err); got != tt.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
