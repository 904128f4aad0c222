package mhcspec

import (
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// MetadataChanged reports whether something changed that selects, excludes or configures:
// the spec, labels, annotations, or that the object is being deleted. A write of a
// status alone does not count.
func MetadataChanged(before, after client.Object) bool {
	return before.GetGeneration() != after.GetGeneration() ||
		!before.GetDeletionTimestamp().Equal(after.GetDeletionTimestamp()) ||
		!equality.Semantic.DeepEqual(before.GetLabels(), after.GetLabels()) ||
		!equality.Semantic.DeepEqual(before.GetAnnotations(), after.GetAnnotations())
}
