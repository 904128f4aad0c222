package mhcspec

import (
	"k8s.io/apimachinery/pkg/api/equality"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// OutsideStatus passes an update that ChangedOutsideStatus, so it drops those of our own status writes.
func OutsideStatus() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool { return ChangedOutsideStatus(e.ObjectOld, e.ObjectNew) }}
}

// ClusterChange passes an update of a Cluster that can stop or resume remediation: of its pause, its deletion, or an annotation such as a hold.
func ClusterChange() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*clusterv1.Cluster), e.ObjectNew.(*clusterv1.Cluster)
		return !equality.Semantic.DeepEqual(before.Spec.Paused, after.Spec.Paused) ||
			!before.DeletionTimestamp.Equal(after.DeletionTimestamp) ||
			!equality.Semantic.DeepEqual(before.Annotations, after.Annotations)
	}}
}

// ChangedOutsideStatus reports whether a change may affect selection, exclusion or settings: the
// spec, labels, annotations, or the deletion of the object. Changes of the status alone do
// not count.
func ChangedOutsideStatus(before, after client.Object) bool {
	return before.GetGeneration() != after.GetGeneration() ||
		!before.GetDeletionTimestamp().Equal(after.GetDeletionTimestamp()) ||
		!equality.Semantic.DeepEqual(before.GetLabels(), after.GetLabels()) ||
		!equality.Semantic.DeepEqual(before.GetAnnotations(), after.GetAnnotations())
}

// IdentityChanged reports whether what selects or excludes an object has changed, or who owns it.
func IdentityChanged(before, after client.Object) bool {
	return ChangedOutsideStatus(before, after) || !equality.Semantic.DeepEqual(before.GetOwnerReferences(), after.GetOwnerReferences())
}
