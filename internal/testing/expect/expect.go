// Package expect asserts the state of objects on the API server.
//
// It is part of internal/testing. Every function reads the object live, by the key of its argument, and fails
// the test at once with a message that names the object. Functions do not wait; a test that has to wait uses
// gomega's Eventually.
package expect

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Condition returns the object's condition of a type.
func Condition(ctx context.Context, t testing.TB, c client.Reader, obj client.Object, conditionType string) *metav1.Condition {
	t.Helper()
	condition := find(ctx, t, c, obj, conditionType)
	if condition == nil {
		t.Fatalf("%s has no condition %s", name(obj), conditionType)
	}
	return condition
}

// NoCondition asserts that the object has no condition of a type.
func NoCondition(ctx context.Context, t testing.TB, c client.Reader, obj client.Object, conditionType string) {
	t.Helper()
	if condition := find(ctx, t, c, obj, conditionType); condition != nil {
		t.Fatalf("%s has condition %s, want none: %+v", name(obj), conditionType, *condition)
	}
}

// ConditionIs asserts everything about a condition except its last transition time.
func ConditionIs(ctx context.Context, t testing.TB, c client.Reader, obj client.Object, want metav1.Condition) {
	t.Helper()
	got := Condition(ctx, t, c, obj, want.Type)
	if diff := cmp.Diff(want, *got, cmpopts.IgnoreFields(metav1.Condition{}, "LastTransitionTime")); diff != "" {
		t.Fatalf("%s: condition %s (-want +got):\n%s", name(obj), want.Type, diff)
	}
}

// Gone asserts that the object does not exist. An object of the same name with another UID is another object.
func Gone(ctx context.Context, t testing.TB, c client.Reader, obj client.Object) {
	t.Helper()
	live := obj.DeepCopyObject().(client.Object)
	err := c.Get(ctx, client.ObjectKeyFromObject(obj), live)
	switch {
	case apierrors.IsNotFound(err):
	case err != nil:
		t.Fatalf("reading %s: %v", name(obj), err)
	case obj.GetUID() == "" || obj.GetUID() == live.GetUID():
		t.Fatalf("%s exists, want it gone", name(obj))
	}
}

func find(ctx context.Context, t testing.TB, c client.Reader, obj client.Object, conditionType string) *metav1.Condition {
	t.Helper()
	conditions, err := read(ctx, c, obj)
	if err != nil {
		t.Fatalf("reading the conditions of %s: %v", name(obj), err)
	}
	return meta.FindStatusCondition(conditions, conditionType)
}
