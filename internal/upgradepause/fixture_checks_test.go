package upgradepause

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

var bothKinds = []schema.GroupVersionKind{ClusterAPIKind, OpenShiftKind}

// newCheck returns a MachineHealthCheck of either kind.
func newCheck(kind schema.GroupVersionKind, namespace, name string) client.Object {
	if kind == ClusterAPIKind {
		return build.MachineHealthCheck(namespace, name)
	}
	check := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"selector":            map[string]any{"matchLabels": map[string]any{"machine.openshift.io/cluster-api-machine-role": "worker"}},
		"unhealthyConditions": []any{map[string]any{"type": "Ready", "status": "Unknown", "timeout": "5m0s"}},
	}}}
	check.SetGroupVersionKind(kind)
	check.SetNamespace(namespace)
	check.SetName(name)
	return check
}

// read returns the current state of a MachineHealthCheck of either kind, read with c.
func read(t testing.TB, c client.Reader, kind schema.GroupVersionKind, key client.ObjectKey) *metav1.PartialObjectMetadata {
	t.Helper()
	check := &metav1.PartialObjectMetadata{}
	check.SetGroupVersionKind(kind)
	if err := c.Get(t.Context(), key, check); err != nil {
		t.Fatal(err)
	}
	return check
}

// change changes the metadata as a person does.
func (f *fixture) change(check *metav1.PartialObjectMetadata, apply func(*metav1.PartialObjectMetadata)) {
	f.t.Helper()
	now := read(f.t, f.env.Client, f.Kind, client.ObjectKeyFromObject(check))
	before := now.DeepCopy()
	apply(now)
	if err := f.env.Client.Patch(f.t.Context(), now, client.MergeFrom(before)); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) remove(check *metav1.PartialObjectMetadata) {
	f.t.Helper()
	if err := f.env.Client.Delete(f.t.Context(), check.DeepCopy()); err != nil {
		f.t.Fatal(err)
	}
}

// annotate changes annotations: nil removes one.
func (f *fixture) annotate(check *metav1.PartialObjectMetadata, changes map[string]*string) {
	f.t.Helper()
	f.change(check, func(m *metav1.PartialObjectMetadata) {
		m.Annotations = stored(m.Annotations).After(changes)
	})
}

func (f *fixture) unannotate(check *metav1.PartialObjectMetadata, keys ...string) {
	f.t.Helper()
	changes := map[string]*string{}
	for _, key := range keys {
		changes[key] = nil
	}
	f.annotate(check, changes)
}
