package healthcheck

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/ownwrites"
)

// Metav1Object is an object with metav1 conditions in status.conditions, as the
// Kubernetes API conventions have it: a list map with the key type.
type Metav1Object interface {
	client.Object
	GetConditions() []metav1.Condition
}

// Metav1Store keeps conditions as metav1.Condition in status.conditions of objects with a status subresource. It
// stores Progressing as Unknown, and drops codes, since the type has no place for them.
//
// Apply uses server-side apply with FieldOwner: no read-modify-write, and no conflicts with the writers of other
// conditions. If the kind's definition does not make the list a map (markers +listType=map and +listMapKey=type),
// an apply would remove the conditions of other writers: Apply fails if there are any.
//
// Remove uses a patch that takes the whole condition out of the list, even if other writers own fields of it. The
// patch requires the same UID and the same condition in the same place, but not the same resource version, so
// that objects that change all the time lose their conditions, too.
type Metav1Store[T Metav1Object] struct {
	// Client writes the status. The default in SetupWithManager is the manager's client.
	Client client.Client
	// FieldOwner is the name that owns the conditions. The default in SetupWithManager is the name of the
	// registration. It must be unique for each set of conditions: two stores with one owner would remove each
	// other's conditions. Conditions that were applied with it, and are no longer registered, are removed.
	FieldOwner string
	// FormerOwners are names that owned the conditions before FieldOwner. Conditions that were applied with one of them, and
	// by nobody else, count as applied with FieldOwner. The default in SetupWithManager follows from
	// Registration.FormerNames.
	FormerOwners []string
}

var _ Store[Metav1Object] = Metav1Store[Metav1Object]{}

// Get implements Store.
func (s Metav1Store[T]) Get(obj T) []Condition {
	stored := obj.GetConditions()
	conditions := make([]Condition, len(stored))
	for i, c := range stored {
		conditions[i] = Condition{
			Type: c.Type, Status: Status(c.Status), Reason: c.Reason, Message: c.Message,
			ObservedGeneration: c.ObservedGeneration, LastTransitionTime: c.LastTransitionTime.Time,
		}
	}
	return conditions
}

// Normalize implements Store. It also fixes what the API server would refuse, so that the verdict is always
// stored: a missing or invalid reason, and a message that is too long or not UTF-8.
func (s Metav1Store[T]) Normalize(c Condition) Condition {
	c.Codes = nil
	if c.Status == Progressing {
		c.Status = Unknown
	}
	c.Reason = word(c.Reason)
	c.Message = ownwrites.Shortened(strings.ToValidUTF8(c.Message, "\uFFFD"), maxMessage)
	return c
}

// What the API server requires of the reason of a metav1.Condition.
var (
	isWord    = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`)
	notInWord = regexp.MustCompile(`[^A-Za-z0-9_,:]+`)
)

const maxReason = 1024

// word returns a valid reason made from any text.
func word(reason string) string {
	if len(reason) <= maxReason && isWord.MatchString(reason) {
		return reason
	}
	const signs = "_,:"
	reason = strings.Trim(notInWord.ReplaceAllString(reason, "_"), signs)
	if reason != "" && reason[0] <= '9' {
		reason = "R" + reason
	}
	if len(reason) > maxReason {
		reason = strings.TrimRight(reason[:maxReason], signs)
	}
	return cmp.Or(reason, reasonNotGiven)
}

// maxMessage is the maximum length of the message of a metav1.Condition, in characters. We count bytes, which are
// no fewer.
const maxMessage = 32768

// fields returns c as it is written.
func (s Metav1Store[T]) fields(c Condition) map[string]any {
	c = s.Normalize(c)
	fields := map[string]any{
		"type":               c.Type,
		"status":             string(c.Status),
		"reason":             c.Reason,
		"message":            c.Message,
		"lastTransitionTime": metav1.NewTime(c.LastTransitionTime).UTC().Format("2006-01-02T15:04:05Z"),
	}
	if c.ObservedGeneration > 0 {
		fields["observedGeneration"] = c.ObservedGeneration
	}
	return fields
}

var (
	_ Pruner[Metav1Object]  = Metav1Store[Metav1Object]{}
	_ Witness[Metav1Object] = Metav1Store[Metav1Object]{}
)

// staysForeign reports whether obj already has exactly this condition from another writer, as with LeaveAlone. Applying it would
// make it ours, and undo what its writer has changed since obj was read. If a cache transform drops managed fields, the owner is
// unknown. Then it may be ours, and leaving out one of ours would remove it, so it is applied.
func (s Metav1Store[T]) staysForeign(obj T, c Condition) bool {
	stored := find(s.Get(obj), c.Type)
	return stored != nil && stored.Message == c.Message && stored.equalButMessage(c) && stored.LastTransitionTime.Equal(c.LastTransitionTime) &&
		len(obj.GetManagedFields()) > 0 && !ownwrites.Applied(obj, c.Type, s.FieldOwner)
}

// Wrote implements Pruner by the managed fields of obj: conditions applied with FieldOwner are ours; those updated under the
// same name are not. Those applied with one of FormerOwners are ours if nobody else has written them. If a cache transform
// drops managed fields, the owner is unknown, and nothing is removed.
func (s Metav1Store[T]) Wrote(obj T, types []string) []string {
	return slices.DeleteFunc(slices.Clone(types), func(conditionType string) bool {
		writers := ownwrites.Writers(obj, conditionType)
		return !slices.ContainsFunc(writers, s.isOurs) && (len(writers) == 0 || slices.ContainsFunc(writers, func(w metav1.ManagedFieldsEntry) bool { return !s.wasOurs(w) }))
	})
}

// OtherWriter implements Witness by the managed fields of obj: it returns the field manager that wrote the condition last and
// is not ours.
func (s Metav1Store[T]) OtherWriter(obj T, conditionType string) string {
	for _, w := range ownwrites.Writers(obj, conditionType) {
		if !s.isOurs(w) && !s.wasOurs(w) {
			return w.Manager
		}
	}
	return ""
}

// isOurs reports whether an entry of the managed fields is one of our applies.
func (s Metav1Store[T]) isOurs(w metav1.ManagedFieldsEntry) bool {
	return w.Manager == s.FieldOwner && w.Operation == metav1.ManagedFieldsOperationApply
}

// wasOurs reports whether an entry of the managed fields is one of our applies under an earlier name.
func (s Metav1Store[T]) wasOurs(w metav1.ManagedFieldsEntry) bool {
	return slices.Contains(s.FormerOwners, w.Manager) && w.Operation == metav1.ManagedFieldsOperationApply
}
