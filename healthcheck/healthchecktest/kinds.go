package healthchecktest

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubernetes "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// kindsOf returns a scheme with the kinds of Kubernetes and the types of objects. A type in
// no known API gets a made-up group.
func kindsOf(t TB, objects []client.Object) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := kubernetes.AddToScheme(scheme); err != nil {
		t.Fatalf("adding the kinds of Kubernetes: %v", err)
	}
	for _, obj := range objects {
		if _, ok := obj.(runtime.Unstructured); ok {
			continue
		}
		if _, _, err := scheme.ObjectKinds(obj); err == nil {
			continue
		}
		kind := schema.GroupVersionKind{Group: "healthchecktest", Version: "v1", Kind: reflect.TypeOf(obj).Elem().Name()}
		if given := obj.GetObjectKind().GroupVersionKind(); !given.Empty() {
			kind = given
		}
		scheme.AddKnownTypeWithName(kind, obj)
	}
	return scheme
}
