package apimodel

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// Object is one version of an object. It never changes: another version is another Object.
type Object struct {
	raw   map[string]any
	typed client.Object
	// applied is what each field owner has applied to it.
	applied map[string]map[string]any
}

// Typed returns the object as a Go type, or as Unstructured if the scheme does not know its kind. It is shared: do not
// change it.
func (o *Object) Typed() client.Object { return o.typed }

// Intact reports whether nobody has changed the object that Typed returns.
func (o *Object) Intact() bool {
	if _, ok := o.typed.(*unstructured.Unstructured); ok {
		return true
	}
	now := encode(o.typed)
	now["apiVersion"], now["kind"] = o.raw["apiVersion"], o.raw["kind"]
	return reflect.DeepEqual(prune(now), prune(runtime.DeepCopyJSON(o.raw)))
}

func kindOf(scheme *runtime.Scheme, obj runtime.Object) (schema.GroupVersionKind, error) {
	gvk, err := apiutil.GVKForObject(obj, scheme)
	if err == nil && strings.HasSuffix(gvk.Kind, "List") && isList(obj) {
		gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	}
	return gvk, err
}

func isList(obj runtime.Object) bool {
	_, ok := obj.(client.ObjectList)
	return ok
}

// object makes one of its fields, which must not change any more.
func (s *Server) object(gvk schema.GroupVersionKind, raw map[string]any) *Object {
	raw["apiVersion"], raw["kind"] = gvk.GroupVersion().String(), gvk.Kind
	if !s.Scheme.Recognizes(gvk) {
		return &Object{raw: raw, typed: &unstructured.Unstructured{Object: raw}}
	}
	typed, err := s.Scheme.New(gvk)
	if err == nil {
		err = runtime.DefaultUnstructuredConverter.FromUnstructured(raw, typed)
	}
	if err != nil {
		panic(fmt.Sprintf("apimodel: decoding a %s: %v", gvk.Kind, err))
	}
	// A client for Go types leaves the kind out.
	typed.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return &Object{raw: raw, typed: typed.(client.Object)}
}

// encode returns the fields of an object, a copy.
func encode(obj runtime.Object) map[string]any {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return runtime.DeepCopyJSON(normal(u.Object).(map[string]any))
	}
	raw, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		panic(fmt.Sprintf("apimodel: encoding a %T: %v", obj, err))
	}
	return raw
}

// into fills obj, of whatever type the caller has, with a copy.
func (o *Object) into(obj client.Object) {
	switch obj := obj.(type) {
	case *unstructured.Unstructured:
		obj.Object = runtime.DeepCopyJSON(o.raw)
	case *metav1.PartialObjectMetadata:
		obj.TypeMeta = metav1.TypeMeta{APIVersion: o.raw["apiVersion"].(string), Kind: o.raw["kind"].(string)}
		obj.ObjectMeta = o.meta()
	default:
		reflect.ValueOf(obj).Elem().Set(reflect.ValueOf(o.typed.DeepCopyObject()).Elem())
	}
}

// meta returns a copy of the metadata.
func (o *Object) meta() metav1.ObjectMeta {
	var partial metav1.PartialObjectMetadata
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"metadata": o.raw["metadata"]}, &partial); err != nil {
		panic(fmt.Sprintf("apimodel: decoding metadata: %v", err))
	}
	return partial.ObjectMeta
}

func sorted(objects state) []*Object {
	all := make([]*Object, 0, len(objects))
	for _, obj := range objects {
		all = append(all, obj)
	}
	slices.SortFunc(all, func(a, b *Object) int {
		return strings.Compare(a.typed.GetNamespace()+"/"+a.typed.GetName(), b.typed.GetNamespace()+"/"+b.typed.GetName())
	})
	return all
}
