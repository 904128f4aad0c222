package apimodel

import (
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// encode returns a copy of the fields of an object.
func encode(obj runtime.Object) map[string]any {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return copied(u.Object).(map[string]any)
	}
	return encodeAny(obj)
}

func encodeAny(value any) map[string]any {
	raw, err := runtime.DefaultUnstructuredConverter.ToUnstructured(value)
	if err != nil {
		panic(fmt.Sprintf("apimodel: encoding a %T: %v", value, err))
	}
	return raw
}

// encodeStatus returns the status of an object, with the UID and the resource version that bind the write.
func encodeStatus(obj client.Object) map[string]any {
	raw := map[string]any{"metadata": map[string]any{"uid": string(obj.GetUID()), "resourceVersion": obj.GetResourceVersion()}}
	if u, ok := obj.(*unstructured.Unstructured); ok {
		if status, ok := u.Object["status"]; ok {
			raw["status"] = copied(status)
		}
		return raw
	}
	if status := reflect.ValueOf(obj).Elem().FieldByName("Status"); status.IsValid() {
		raw["status"] = encodeAny(status.Addr().Interface())
	}
	return raw
}

// encodeRest returns everything but the status of an object.
func encodeRest(obj client.Object) map[string]any {
	if _, ok := obj.(*unstructured.Unstructured); ok {
		return encode(obj)
	}
	rest := reflect.New(reflect.TypeOf(obj).Elem())
	rest.Elem().Set(reflect.ValueOf(obj).Elem())
	if status := rest.Elem().FieldByName("Status"); status.IsValid() {
		status.SetZero()
	}
	return encodeAny(rest.Interface())
}

// decode decodes fields, which may be nil, into a part of an object.
func decode(what string, fields, into any) {
	raw, _ := fields.(map[string]any)
	if raw == nil {
		return
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw, into); err != nil {
		panic(fmt.Sprintf("apimodel: decoding %s: %v", what, err))
	}
}

// successor makes the next version of an object from its fields. It does not decode again what is the same map in
// both.
func (s *Server) successor(r request, old *Object, raw map[string]any, owners []ownership) *Object {
	if _, ok := old.typed.(*unstructured.Unstructured); ok || !inSections(raw) {
		next := s.object(r.gvk, raw)
		next.owners = owners
		return next
	}
	value := reflect.New(reflect.TypeOf(old.typed).Elem())
	value.Elem().Set(reflect.ValueOf(old.typed).Elem())
	for name, field := range map[string]string{"spec": "Spec", "status": "Status"} {
		if section := value.Elem().FieldByName(field); section.IsValid() && !identical(old.raw[name], raw[name]) {
			section.SetZero()
			decode(name, raw[name], section.Addr().Interface())
		}
	}
	next := &Object{raw: raw, typed: value.Interface().(client.Object), owners: owners}
	if !r.status {
		decodeMetadata(raw, value)
	}
	next.typed.SetManagedFields(entries(owners))
	return next
}

// decodeMetadata decodes the metadata without the managed fields.
func decodeMetadata(raw map[string]any, value reflect.Value) {
	var meta metav1.ObjectMeta
	fields := metadata(raw)
	managed, ok := fields["managedFields"]
	delete(fields, "managedFields")
	decode("metadata", fields, &meta)
	if ok {
		fields["managedFields"] = managed
	}
	value.Elem().FieldByName("ObjectMeta").Set(reflect.ValueOf(meta))
}

// inSections reports whether an object consists of metadata, spec and status.
func inSections(raw map[string]any) bool {
	for key := range raw {
		switch key {
		case "apiVersion", "kind", "metadata", "spec", "status":
		default:
			return false
		}
	}
	return true
}
