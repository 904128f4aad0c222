package healthcheck

import (
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// butOwnClocks drops events that tell of nothing but a clock that was written. No verdict depends on it before it has run
// out, and its condition is written right after it.
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

// orGone lets pass what p does, and that an object is gone: p may not know it any more, and what is kept for it has to go, too.
func orGone(p predicate.Predicate) predicate.Predicate {
	return predicate.Funcs{CreateFunc: p.Create, UpdateFunc: p.Update, GenericFunc: p.Generic}
}

// without is an object without one annotation, and without what differs after each write.
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
