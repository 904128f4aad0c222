package ownwrites

import (
	"cmp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Applied reports whether a field owner applied the condition of that type that obj has now, or a part of it. A writer of
// the same name that updates instead of applying is somebody else.
func Applied(obj client.Object, conditionType, fieldOwner string) bool {
	return slices.ContainsFunc(obj.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Manager == fieldOwner && entry.Operation == metav1.ManagedFieldsOperationApply && holdsCondition(entry.FieldsV1, conditionType)
	})
}

// Writers returns the entries of all who wrote the condition of that type that obj has now, or a part of it, the latest first.
func Writers(obj client.Object, conditionType string) []metav1.ManagedFieldsEntry {
	var writers []metav1.ManagedFieldsEntry
	for _, entry := range obj.GetManagedFields() {
		if holdsCondition(entry.FieldsV1, conditionType) {
			writers = append(writers, entry)
		}
	}
	slices.SortStableFunc(writers, func(a, b metav1.ManagedFieldsEntry) int { return cmp.Compare(timeOf(b), timeOf(a)) })
	return writers
}

func timeOf(entry metav1.ManagedFieldsEntry) int64 {
	if entry.Time == nil {
		return 0
	}
	return entry.Time.Unix()
}

// ConditionsHaveKeys reports whether obj shows that its conditions are a list with keys: somebody owns conditions by their types, and
// nobody the list as a whole.
func ConditionsHaveKeys(obj client.Object) bool {
	keyed := false
	for _, entry := range obj.GetManagedFields() {
		conditions := conditionsIn(entry.FieldsV1, "f:conditions")
		if conditions == nil {
			continue
		}
		own := false
		for field := range conditions {
			own = own || strings.HasPrefix(field, "k:")
		}
		if !own {
			return false
		}
		keyed = true
	}
	return keyed
}
