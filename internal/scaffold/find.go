package scaffold

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Find reads an object into obj, and returns it; nil if there is none of that name.
func Find[T client.Object](ctx context.Context, reader client.Reader, key client.ObjectKey, obj T) (T, error) {
	var none T
	// Reading empties the kind of an object whose type has one.
	kind := KindOf(obj)
	err := reader.Get(ctx, key, obj)
	if apierrors.IsNotFound(err) {
		return none, nil
	}
	if err != nil {
		return none, fmt.Errorf("getting %s %s: %w", kind, key, err)
	}
	return obj, nil
}

// KindOf returns the kind of an object: what it says, or else the name of its type.
func KindOf(obj client.Object) string {
	if kind := obj.GetObjectKind().GroupVersionKind().Kind; kind != "" {
		return kind
	}
	return reflect.TypeOf(obj).Elem().Name()
}

// Answered reports whether the API server answered that objects of a kind cannot be read: Sickbay has no permission, or the conversion webhook is
// down. An immediate retry would not help.
func Answered(err error) bool {
	_, answered := errors.AsType[*apierrors.StatusError](err)
	return answered && !apierrors.IsTooManyRequests(err)
}
