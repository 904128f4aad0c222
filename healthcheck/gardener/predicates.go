package gardener

import (
	"context"
	"fmt"
	"slices"

	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// DefaultPredicates pass changes of the spec.
func DefaultPredicates() []predicate.Predicate {
	return []predicate.Predicate{predicate.GenerationChangedPredicate{}}
}

// concerns passes objects of a type and of some classes.
func concerns(extensionType string, classes []extensionsv1alpha1.ExtensionClass) predicate.Predicate {
	return predicate.NewPredicateFuncs(func(obj client.Object) bool {
		extension, err := accessor(obj)
		if err != nil {
			return false
		}
		return extension.GetExtensionSpec().GetExtensionType() == extensionType && slices.Contains(classes, classOf(extension))
	})
}

// ours reads objects for the engine. Objects of other types and classes are not found:
// their events are filtered, but a watch, or another object of the same name, can put them
// into the queue.
type ours struct {
	client.Reader

	concerned predicate.Predicate
}

// Get implements client.Reader.
func (o ours) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if err := o.Reader.Get(ctx, key, obj, opts...); err != nil {
		return err
	}
	if !o.concerned.Generic(event.GenericEvent{Object: obj}) {
		return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	}
	return nil
}

// classesOrDefault returns the classes of a registration. The default is shoot.
func classesOrDefault(classes []extensionsv1alpha1.ExtensionClass) []extensionsv1alpha1.ExtensionClass {
	if len(classes) == 0 || (len(classes) == 1 && classes[0] == "") {
		return []extensionsv1alpha1.ExtensionClass{extensionsv1alpha1.ExtensionClassShoot}
	}
	return classes
}

// ofCluster maps a Cluster to the extension objects of its shoot.
func ofCluster(reader client.Reader, newList func() (client.ObjectList, error), predicates []predicate.Predicate) func(context.Context, client.Object) []reconcile.Request {
	return func(ctx context.Context, cluster client.Object) []reconcile.Request {
		list, err := newList()
		if err != nil || reader.List(ctx, list, client.InNamespace(cluster.GetName())) != nil {
			return nil
		}
		var requests []reconcile.Request
		_ = meta.EachListItem(list, func(item runtime.Object) error {
			obj, ok := item.(client.Object)
			if ok && !slices.ContainsFunc(predicates, func(p predicate.Predicate) bool { return !p.Generic(event.GenericEvent{Object: obj}) }) {
				requests = append(requests, reconcile.Request{NamespacedName: types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()}})
			}
			return nil
		})
		return requests
	}
}

// listOf returns an empty list for objects of a kind, unstructured if obj is.
func listOf(scheme *runtime.Scheme, kind schema.GroupVersionKind, obj runtime.Object) (client.ObjectList, error) {
	kind.Kind += "List"
	if _, untyped := obj.(*unstructured.Unstructured); untyped {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind)
		return list, nil
	}
	made, err := scheme.New(kind)
	if err != nil {
		return nil, fmt.Errorf("making a list: %w", err)
	}
	list, ok := made.(client.ObjectList)
	if !ok {
		return nil, fmt.Errorf("making a list: %T is not a list", made)
	}
	return list, nil
}
