package cachelist

import (
	"context"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// List returns the objects of a namespace that have a value in a field index of the cache, in any order; an empty namespace means all.
// The caller must not change them. The list is an empty one of their kind; without the informers of the cache, it is filled.
func List[T client.Object](ctx context.Context, reader client.Reader, list client.ObjectList, namespace, field, value string) ([]T, error) {
	if cached, ok := reader.(indexed); ok {
		// The cache itself knows whether it has the namespace.
		if found := cached.informers.byIndex(reflect.TypeFor[T](), "field:"+field, indexKey(namespace, value)); len(found) > 0 {
			all := make([]T, len(found))
			for i, obj := range found {
				all[i] = obj.(T)
			}
			return all, nil
		}
	}
	if err := reader.List(ctx, list, client.InNamespace(namespace), client.MatchingFields{field: value}, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	all := make([]T, 0, meta.LenList(list))
	err := meta.EachListItem(list, func(obj runtime.Object) error {
		all = append(all, obj.(T))
		return nil
	})
	return all, err
}

// indexKey is how controller-runtime names a value of a field index. It exports neither that nor the names of indexes: should it change them,
// lists are copies, and TestList fails.
func indexKey(namespace, value string) string {
	if namespace == "" {
		namespace = "__all_namespaces"
	}
	return namespace + "/" + value
}
