package healthcheck

import (
	"cmp"
	"regexp"
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

// Metav1Store keeps conditions as metav1.Condition in status.conditions of
// objects with a status subresource. Progressing is stored as Unknown, and codes
// are left out, since the type has no place for them.
//
// It writes by server-side apply under FieldOwner: no read-modify-write, no
// conflicts with the writers of other conditions. Where the definition of the kind does
// not make the list a map, which takes the markers +listType=map and +listMapKey=type, an
// apply would remove the conditions of others: it is refused if there are any. It removes by a patch that takes the
// condition out of the list, so that it goes as a whole even if other writers own a part
// of it. That is bound to the object's UID and to what the condition says, and not to the
// object's resource version: what others change meanwhile does not keep it.
type Metav1Store[T Metav1Object] struct {
	// Client writes the status. AddToManager takes the manager's by default.
	Client client.Client
	// FieldOwner is the name under which the conditions are owned. AddToManager takes the
	// name of the registration by default. It must be unique for each set of conditions;
	// two stores with one owner would take each other's conditions away. Conditions that
	// were applied under it, and are registered no more, are removed.
	FieldOwner string
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

// Normalize implements Store. It also mends what the API server would refuse, or
// the verdict would never be stored: a reason that is missing or no word, and a message
// that is too long.
func (s Metav1Store[T]) Normalize(c Condition) Condition {
	c.Codes = nil
	if c.Status == Progressing {
		c.Status = Unknown
	}
	c.Reason = word(c.Reason)
	c.Message = ownwrites.Shortened(c.Message, maxMessage)
	return c
}

// What the reason of a metav1.Condition must look like, and how long it may be.
var (
	isWord    = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`)
	notInWord = regexp.MustCompile(`[^A-Za-z0-9_,:]+`)
)

const maxReason = 1024

// word makes a reason of what is none.
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

// maxMessage is how long the message of a metav1.Condition may be, in characters.
// We count bytes, which are no fewer.
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
