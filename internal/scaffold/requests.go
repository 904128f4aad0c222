package scaffold

import (
	"context"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// RequestFor returns the request to reconcile an object.
func RequestFor(obj client.Object) ctrl.Request {
	return ctrl.Request{NamespacedName: client.ObjectKeyFromObject(obj)}
}

// RequestsFor returns the requests to reconcile the objects that a lookup for an event found. It logs the error of a lookup that failed:
// reading from the cache fails only during shutdown.
func RequestsFor[T client.Object](ctx context.Context, objects []T, err error) []ctrl.Request {
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "Cannot find the objects that an event concerns", "type", reflect.TypeFor[T]().String())
		return nil
	}
	requests := make([]ctrl.Request, len(objects))
	for i, obj := range objects {
		requests[i] = RequestFor(obj)
	}
	return requests
}

// RequestsIn fills a list from the cache, and returns the requests to reconcile those of its objects that an event concerns. They are the
// objects of the cache, which concerns must not change.
func RequestsIn[T client.Object](ctx context.Context, cached client.Reader, list client.ObjectList, concerns func(T) bool, in ...client.ListOption) []ctrl.Request {
	err := cached.List(ctx, list, append(in, client.UnsafeDisableDeepCopy)...)
	var concerned []T
	if err == nil {
		err = meta.EachListItem(list, func(obj runtime.Object) error {
			if obj := obj.(T); concerns(obj) {
				concerned = append(concerned, obj)
			}
			return nil
		})
	}
	return RequestsFor(ctx, concerned, err)
}
