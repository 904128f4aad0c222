package apimodel

import (
	"fmt"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// Object is one version of an object. It never changes: a new version is a new Object, which shares the equal parts.
type Object struct {
	key   client.ObjectKey
	raw   map[string]any
	typed client.Object
	// applied is what each field owner has applied.
	applied map[string]map[string]any
	// owners are Sickbay's field owners and what they wrote.
	owners []ownership
	// hash is the hash of the content; 0 until it is computed.
	hash uint64
}

// Typed returns the object as a Go type, or as Unstructured if the scheme does not know its kind. It is shared; do not
// change it.
func (o *Object) Typed() client.Object { return o.typed }

// Intact reports whether nobody has changed the object that Typed returns.
func (o *Object) Intact() bool {
	if _, ok := o.typed.(*unstructured.Unstructured); ok {
		return true
	}
	now := encode(o.typed)
	now["apiVersion"], now["kind"] = o.raw["apiVersion"], o.raw["kind"]
	return sameMap(now, o.raw)
}

func (o *Object) setVersion(version string) {
	metadata(o.raw)["resourceVersion"] = version
	o.typed.SetResourceVersion(version)
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

// namesItsKind reports whether the kind of an object depends on its content, not only on its Go type.
func namesItsKind(obj runtime.Object) bool {
	switch obj.(type) {
	case runtime.Unstructured, *metav1.PartialObjectMetadata, *metav1.PartialObjectMetadataList:
		return true
	}
	return false
}

// object makes an object from its fields, which must not change any more.
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
	// A typed client leaves the kind out.
	typed.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return &Object{raw: raw, typed: typed.(client.Object)}
}

// into fills obj, of whatever Go type, with a copy.
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
	if typed, ok := o.typed.(metav1.ObjectMetaAccessor); ok {
		return *typed.GetObjectMeta().(*metav1.ObjectMeta).DeepCopy()
	}
	var meta metav1.ObjectMeta
	decode("metadata", o.raw["metadata"], &meta)
	return meta
}

// As returns an object as its Go type; nil if there is none.
func As[T client.Object](obj *Object) T {
	var none T
	if obj == nil {
		return none
	}
	return obj.Typed().(T)
}
