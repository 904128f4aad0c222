package healthcheck

import (
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// butOwnClocks drops events of updates that changed nothing but our clocks. No verdict depends on a clock before it runs out,
// and the conditions are written right after the clocks.
func (s AnnotationProgress[T]) butOwnClocks() predicate.Predicate {
	annotation := ProgressAnnotation + s.name()
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		clocks := e.ObjectNew.GetAnnotations()[annotation]
		if clocks == "" || clocks == e.ObjectOld.GetAnnotations()[annotation] {
			return true
		}
		return !equality.Semantic.DeepEqual(without(e.ObjectOld, annotation), without(e.ObjectNew, annotation))
	}}
}

// orGone passes what p passes, and all deletions: p may no longer recognize the object, but what is kept for it must go.
func orGone(p predicate.Predicate) predicate.Predicate {
	return predicate.Funcs{CreateFunc: p.Create, UpdateFunc: p.Update, GenericFunc: p.Generic}
}

// without returns a copy of an object without one annotation, and without the metadata that changes with each write.
func without(obj client.Object, annotation string) client.Object {
	bare := obj.DeepCopyObject().(client.Object)
	annotations := bare.GetAnnotations()
	delete(annotations, annotation)
	if len(annotations) == 0 {
		annotations = nil
	}
	bare.SetAnnotations(annotations)
	bare.SetManagedFields(nil)
	bare.SetResourceVersion("")
	return bare
}
