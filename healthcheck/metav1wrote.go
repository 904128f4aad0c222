package healthcheck

import (
	"slices"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/ownwrites"
)

var _ Pruner[Metav1Object] = Metav1Store[Metav1Object]{}

// staysForeign reports whether a condition is on obj as it is to be, and not by us, as one that is left alone may be. To apply it
// would make it ours, and take back what its writer has said since obj was read. If managed fields are dropped on their way
// into the cache, nothing is known: then it may be ours, and what is ours and not applied is removed.
func (s Metav1Store[T]) staysForeign(obj T, c Condition) bool {
	stored := find(s.Get(obj), c.Type)
	return stored != nil && stored.Message == c.Message && stored.equalButMessage(c) && stored.LastTransitionTime.Equal(c.LastTransitionTime) &&
		len(obj.GetManagedFields()) > 0 && !ownwrites.Applied(obj, c.Type, s.FieldOwner)
}

// Wrote implements Pruner by the managed fields of obj: what was applied under FieldOwner
// is ours, and what a namesake has updated is not. If they are dropped on their
// way into the cache, nothing is known, and nothing is removed.
func (s Metav1Store[T]) Wrote(obj T, types []string) []string {
	return slices.DeleteFunc(slices.Clone(types), func(conditionType string) bool {
		return !ownwrites.Applied(obj, conditionType, s.FieldOwner)
	})
}
