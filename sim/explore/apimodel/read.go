package apimodel

import (
	"fmt"
	"reflect"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// notFound is the API server's error for an object that does not exist.
func notFound(gvk schema.GroupVersionKind, key client.ObjectKey) error {
	return apierrors.NewNotFound(resource(gvk), key.Name)
}

func resource(gvk schema.GroupVersionKind) schema.GroupResource {
	return schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}
}

func get(gvk schema.GroupVersionKind, from state, key client.ObjectKey, into client.Object) error {
	obj := from.find(key)
	if obj == nil {
		return notFound(gvk, key)
	}
	obj.into(into)
	return nil
}

// list fills a list with the objects that the options select, and returns them. It finds objects by
// field only through the indexes.
func (s *Server) list(gvk schema.GroupVersionKind, from state, list client.ObjectList, opts []client.ListOption) []*Object {
	var options client.ListOptions
	options.ApplyOptions(opts)
	var found []*Object
	for _, obj := range from {
		if s.listed(gvk, obj, &options) {
			found = append(found, obj)
		}
	}
	shared := options.UnsafeDisableDeepCopy != nil && *options.UnsafeDisableDeepCopy
	fill(list, found, shared)
	return found
}

func (s *Server) listed(gvk schema.GroupVersionKind, obj *Object, options *client.ListOptions) bool {
	if options.Namespace != "" && obj.typed.GetNamespace() != options.Namespace {
		return false
	}
	if options.LabelSelector != nil && !options.LabelSelector.Matches(labels.Set(obj.typed.GetLabels())) {
		return false
	}
	if options.FieldSelector == nil {
		return true
	}
	for _, required := range options.FieldSelector.Requirements() {
		if !s.indexed(gvk, obj, required.Field, required.Value) {
			return false
		}
	}
	return true
}

// indexed reports whether the index of a field lists an object under a value.
func (s *Server) indexed(gvk schema.GroupVersionKind, obj *Object, field, value string) bool {
	for _, index := range s.Indexes {
		if index.Field != field || s.Kind(index.Object) != gvk {
			continue
		}
		return slices.Contains(index.Extract(obj.typed), value)
	}
	panic(fmt.Sprintf("apimodel: no index of %s by %s", gvk.Kind, field))
}

// fill sets the items of a list. It does not copy shared ones.
func fill(list client.ObjectList, found []*Object, shared bool) {
	switch list := list.(type) {
	case *unstructured.UnstructuredList:
		list.Items = nil
		for _, obj := range found {
			var item unstructured.Unstructured
			obj.into(&item)
			list.Items = append(list.Items, item)
		}
		return
	case *metav1.PartialObjectMetadataList:
		list.Items = nil
		for _, obj := range found {
			var item metav1.PartialObjectMetadata
			obj.into(&item)
			list.Items = append(list.Items, item)
		}
		return
	}
	items := reflect.ValueOf(list).Elem().FieldByName("Items")
	items.Set(reflect.MakeSlice(items.Type(), 0, len(found)))
	for _, obj := range found {
		item := obj.typed
		if !shared {
			item = item.DeepCopyObject().(client.Object)
		}
		items.Set(reflect.Append(items, reflect.ValueOf(item).Elem()))
	}
}
