package ownwrites

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Apply sets fields of obj, and takes them from other field owners. It removes fields that fieldOwner set before and that are not in
// fields. Afterwards, obj has the resource version of the write.
func Apply(ctx context.Context, c client.Client, fieldOwner string, obj client.Object, fields map[string]any) error {
	return apply(c, obj, fields, func(u runtime.ApplyConfiguration) error {
		return c.Apply(ctx, u, client.FieldOwner(fieldOwner), client.ForceOwnership)
	})
}

// ApplyStatus is Apply for fields of the status. If another object has taken the name of obj meanwhile, it undoes the write, and
// returns a conflict.
func ApplyStatus(ctx context.Context, c client.Client, fieldOwner string, obj client.Object, fields map[string]any) error {
	return apply(c, obj, fields, func(u runtime.ApplyConfiguration) error {
		return c.Status().Apply(ctx, u, client.FieldOwner(fieldOwner), client.ForceOwnership)
	})
}

// errReplaced says that a write came too late for its object.
var errReplaced = errors.New("another object has taken the name of the one that was read")

func apply(c client.Client, obj client.Object, fields map[string]any, write func(runtime.ApplyConfiguration) error) error {
	gvk, err := c.GroupVersionKindFor(obj)
	if err != nil {
		return fmt.Errorf("finding the kind of %T: %w", obj, err)
	}
	written, err := applyTo(gvk, obj, fields, write)
	if err == nil && written.GetUID() != "" && obj.GetUID() != "" && written.GetUID() != obj.GetUID() {
		// The API server ignores the UID when it writes a status. Only the fake client of controller-runtime returns an object
		// without a UID.
		_, err = applyTo(gvk, obj, map[string]any{}, write)
		return errors.Join(apierrors.NewConflict(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, obj.GetName(), errReplaced), err)
	}
	if err != nil {
		return err
	}
	obj.SetResourceVersion(written.GetResourceVersion())
	return nil
}

// applyTo applies fields to the object with the name of obj, and returns it.
func applyTo(gvk schema.GroupVersionKind, obj client.Object, fields map[string]any, write func(runtime.ApplyConfiguration) error) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{Object: fields}
	u.SetGroupVersionKind(gvk)
	u.SetNamespace(obj.GetNamespace())
	u.SetName(obj.GetName())
	return u, write(client.ApplyConfigurationFromUnstructured(u))
}
