package healthcheck

import (
	"slices"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/managed"
)

var _ Owner[Metav1Object] = Metav1Store[Metav1Object]{}

// Owned implements Owner by the managed fields of obj: what was applied under FieldOwner
// is ours, and what a namesake has updated is not. If they are dropped on their
// way into the cache, nothing is known, and nothing is removed.
func (s Metav1Store[T]) Owned(obj T, types []string) []string {
	return slices.DeleteFunc(slices.Clone(types), func(conditionType string) bool {
		return !managed.Applied(obj, conditionType, s.FieldOwner)
	})
}
