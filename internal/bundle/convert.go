package bundle

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// into copies an object into another one of its kind: typed, unstructured, or its metadata alone.
func into(from client.Object, gvk schema.GroupVersionKind, to client.Object) error {
	switch to := to.(type) {
	case *metav1.PartialObjectMetadata:
		metadataOf(from, gvk).DeepCopyInto(to)
		return nil
	case *unstructured.Unstructured:
		content, err := contentOf(from, gvk)
		if err != nil {
			return err
		}
		to.Object = content
		return nil
	}
	if reflect.TypeOf(from) == reflect.TypeOf(to) {
		reflect.ValueOf(to).Elem().Set(reflect.ValueOf(from.DeepCopyObject()).Elem())
		return nil
	}
	content, err := contentOf(from, gvk)
	if err != nil {
		return err
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, to); err != nil {
		return fmt.Errorf("reading %s %s: %w", gvk.Kind, from.GetName(), err)
	}
	return nil
}

func metadataOf(obj client.Object, gvk schema.GroupVersionKind) *metav1.PartialObjectMetadata {
	metadata := meta.AsPartialObjectMetadata(obj)
	metadata.SetGroupVersionKind(gvk)
	return metadata
}

// contentOf returns the serialized form of an object, with its kind.
func contentOf(obj client.Object, gvk schema.GroupVersionKind) (map[string]any, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj.DeepCopyObject())
	if err != nil {
		return nil, fmt.Errorf("writing %s %s: %w", gvk.Kind, obj.GetName(), err)
	}
	u := unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(gvk)
	return u.Object, nil
}
