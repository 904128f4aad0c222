package build

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Create stores the objects, in order, each with its status, and deletes those that are built as being deleted.
// Afterwards the objects are as the API server returned them.
func Create(ctx context.Context, t testing.TB, c client.Client, objs ...client.Object) {
	t.Helper()
	for _, obj := range objs {
		if err := create(ctx, c, obj); err != nil {
			t.Fatalf("creating %T %s: %v", obj, client.ObjectKeyFromObject(obj), err)
		}
	}
}

func create(ctx context.Context, c client.Client, obj client.Object) error {
	built := obj.DeepCopyObject().(client.Object)
	if err := c.Create(ctx, obj); err != nil {
		return fmt.Errorf("creating it: %w", err)
	}
	deleting := !built.GetDeletionTimestamp().IsZero()
	if err := createStatus(ctx, c, obj, built); err != nil {
		return err
	}
	if !deleting {
		return nil
	}
	if err := c.Delete(ctx, obj); err != nil {
		return fmt.Errorf("deleting it: %w", err)
	}
	return c.Get(ctx, client.ObjectKeyFromObject(obj), obj)
}

// createStatus stores the built status, which the API server dropped from the created object. If a controller has
// written to the object meanwhile, the built status wins.
func createStatus(ctx context.Context, c client.Client, created, built client.Object) error {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(built)
	if err != nil {
		return fmt.Errorf("reading its status: %w", err)
	}
	if fields["status"] == nil {
		return nil
	}
	built.SetUID(created.GetUID())
	built.SetDeletionTimestamp(nil) // a write cannot start a deletion
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(created), created); err != nil {
			return err
		}
		built.SetResourceVersion(created.GetResourceVersion())
		return c.Status().Update(ctx, built)
	})
	if err != nil {
		return fmt.Errorf("creating its status: %w", err)
	}
	reflect.ValueOf(created).Elem().Set(reflect.ValueOf(built).Elem())
	return nil
}
