// Package objects reads and changes objects on the API server, as people and other controllers do.
//
// It is part of internal/testing. Every function but Read, Update and UpdateStatus takes an object only for its kind and name, and reads the
// stored one. All fail the test at once if something goes wrong.
package objects

import (
	"reflect"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// Get reads an object, and reports whether it exists. An object of the same name with another UID is another object.
func Get[T client.Object](t testing.TB, c client.Reader, obj T) (stored T, exists bool) {
	t.Helper()
	stored = reflect.New(reflect.TypeOf(obj).Elem()).Interface().(T)
	stored.GetObjectKind().SetGroupVersionKind(obj.GetObjectKind().GroupVersionKind())
	err := c.Get(t.Context(), client.ObjectKeyFromObject(obj), stored)
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	return stored, err == nil && (obj.GetUID() == "" || stored.GetUID() == obj.GetUID())
}

// List reads all objects of a namespace into a list.
func List[L client.ObjectList](t testing.TB, c client.Reader, list L, namespace string) L {
	t.Helper()
	if err := c.List(t.Context(), list, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	return list
}

// Read reads an object that exists into itself.
func Read(t testing.TB, c client.Reader, obj client.Object) {
	t.Helper()
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(obj), obj); err != nil {
		t.Fatal(err)
	}
}

// Update stores the metadata and the spec of an object as they are.
func Update(t testing.TB, c client.Client, obj client.Object) {
	t.Helper()
	if err := c.Update(t.Context(), obj); err != nil {
		t.Fatal(err)
	}
}

// UpdateStatus stores the status of an object as it is.
func UpdateStatus(t testing.TB, c client.Client, obj client.Object) {
	t.Helper()
	if err := c.Status().Update(t.Context(), obj); err != nil {
		t.Fatal(err)
	}
}

// Change stores a change of the metadata or the spec of an object. If a controller writes to the object at the same moment, it
// tries again.
func Change[T client.Object](t testing.TB, c client.Client, obj T, change func(T)) {
	t.Helper()
	store(t, c, obj, change, func(o T) error { return c.Update(t.Context(), o) })
}

// ChangeStatus stores a change of the status of an object.
func ChangeStatus[T client.Object](t testing.TB, c client.Client, obj T, change func(T)) {
	t.Helper()
	store(t, c, obj, change, func(o T) error { return c.Status().Update(t.Context(), o) })
}

func store[T client.Object](t testing.TB, c client.Client, obj T, change func(T), write func(T) error) {
	t.Helper()
	for {
		stored, exists := Get(t, c, obj)
		if !exists {
			t.Fatalf("%T %s is gone", obj, obj.GetName())
		}
		change(stored)
		err := write(stored)
		if err == nil {
			return
		}
		if !apierrors.IsConflict(err) {
			t.Fatal(err)
		}
	}
}

// Annotate sets an annotation.
func Annotate[T client.Object](t testing.TB, c client.Client, obj T, key, value string) {
	t.Helper()
	Change(t, c, obj, func(o T) { build.Annotation(key, value)(o) })
}

// Unannotate removes an annotation.
func Unannotate[T client.Object](t testing.TB, c client.Client, obj T, key string) {
	t.Helper()
	Change(t, c, obj, func(o T) {
		annotations := o.GetAnnotations()
		delete(annotations, key)
		o.SetAnnotations(annotations)
	})
}

// Delete deletes an object.
func Delete(t testing.TB, c client.Client, obj client.Object) {
	t.Helper()
	if err := c.Delete(t.Context(), obj); err != nil {
		t.Fatal(err)
	}
}
