package healthcheck

import (
	"slices"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/ownwrites"
)

var _ Pruner[Metav1Object] = Metav1Store[Metav1Object]{}

// staysForeign reports whether obj already has exactly this condition from another writer, as with LeaveAlone. Applying it would
// make it ours, and undo what its writer has changed since obj was read. If a cache transform drops managed fields, the owner is
// unknown. Then it may be ours, and leaving out one of ours would remove it, so it is applied.
func (s Metav1Store[T]) staysForeign(obj T, c Condition) bool {
	stored := find(s.Get(obj), c.Type)
	return stored != nil && stored.Message == c.Message && stored.equalButMessage(c) && stored.LastTransitionTime.Equal(c.LastTransitionTime) &&
		len(obj.GetManagedFields()) > 0 && !ownwrites.Applied(obj, c.Type, s.FieldOwner)
}

// Wrote implements Pruner by the managed fields of obj: conditions applied with FieldOwner are ours; those updated under the
// same name are not. If a cache transform drops managed fields, the owner is unknown, and nothing is removed.
func (s Metav1Store[T]) Wrote(obj T, types []string) []string {
	return slices.DeleteFunc(slices.Clone(types), func(conditionType string) bool {
		return !ownwrites.Applied(obj, conditionType, s.FieldOwner)
	})
}
