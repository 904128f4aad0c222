package ownwrites

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Apply makes fields of obj as given, and takes them from others who have written them. What the field owner has written before and
// is not among them goes. Then obj has the resource version of the write.
func Apply(ctx context.Context, c client.Client, fieldOwner string, obj client.Object, fields map[string]any) error {
	return apply(c, obj, fields, func(u runtime.ApplyConfiguration) error {
		return c.Apply(ctx, u, client.FieldOwner(fieldOwner), client.ForceOwnership)
	})
}

// ApplyStatus is Apply for fields of the status.
func ApplyStatus(ctx context.Context, c client.Client, fieldOwner string, obj client.Object, fields map[string]any) error {
	return apply(c, obj, fields, func(u runtime.ApplyConfiguration) error {
		return c.Status().Apply(ctx, u, client.FieldOwner(fieldOwner), client.ForceOwnership)
	})
}

func apply(c client.Client, obj client.Object, fields map[string]any, write func(runtime.ApplyConfiguration) error) error {
	gvk, err := c.GroupVersionKindFor(obj)
	if err != nil {
		return fmt.Errorf("finding the kind of %T: %w", obj, err)
	}
	u := &unstructured.Unstructured{Object: fields}
	u.SetGroupVersionKind(gvk)
	u.SetNamespace(obj.GetNamespace())
	u.SetName(obj.GetName())
	if err := write(client.ApplyConfigurationFromUnstructured(u)); err != nil {
		return err
	}
	obj.SetResourceVersion(u.GetResourceVersion())
	return nil
}
