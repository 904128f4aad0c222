package healthcheck

import (
	"slices"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/managed"
)

var _ Owner[Metav1Object] = Metav1Store[Metav1Object]{}

// Owned implements Owner by the managed fields of obj. If those are dropped on their
// way into the cache, nothing is known, and nothing is removed.
func (s Metav1Store[T]) Owned(obj T, types []string) []string {
	return slices.DeleteFunc(slices.Clone(types), func(conditionType string) bool {
		return !managed.Wrote(obj, conditionType, s.FieldOwner)
	})
}
