package gardener

import (
	"cmp"
	"context"
	"slices"
	"strings"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Store keeps conditions in status.conditions of extension objects, in Gardener's format:
// with codes, with Progressing, and with lastUpdateTime, which is when reason, message or
// codes last changed. T is a kind of extension object, or *unstructured.Unstructured.
//
// The list has no keys, so its conditions have no owners. Each write changes only its own
// conditions, and fails with a conflict if the object has changed.
type Store[T client.Object] struct {
	// Client writes the status.
	Client client.Client
	// FieldOwner is the field owner of the writes.
	FieldOwner string
	// Former are the types of conditions that were registered earlier. They are removed
	// where they are found, unless they are registered again.
	Former []gardencorev1beta1.ConditionType
	// Clock sets lastUpdateTime. The default is the real one.
	Clock clock.PassiveClock
}

var (
	_ healthcheck.Store[client.Object]  = Store[client.Object]{}
	_ healthcheck.Pruner[client.Object] = Store[client.Object]{}
)

// Get implements healthcheck.Store.
func (s Store[T]) Get(obj T) []healthcheck.Condition {
	extension, err := accessor(obj)
	if err != nil {
		return nil
	}
	stored := extension.GetExtensionStatus().GetConditions()
	conditions := make([]healthcheck.Condition, len(stored))
	for i, c := range stored {
		conditions[i] = healthcheck.Condition{
			Type: string(c.Type), Status: healthcheck.Status(c.Status), Reason: c.Reason, Message: c.Message,
			Codes: textsOf(c.Codes), LastTransitionTime: c.LastTransitionTime.Time,
		}
	}
	return conditions
}

// Normalize implements healthcheck.Store. Conditions have no generation, and empty fields
// get Gardener's default words.
func (s Store[T]) Normalize(c healthcheck.Condition) healthcheck.Condition {
	c.ObservedGeneration = 0
	c.Reason = cmp.Or(c.Reason, "Unspecified")
	c.Message = cmp.Or(strings.ToValidUTF8(c.Message, "\uFFFD"), "No message given.")
	return c
}

// Wrote implements healthcheck.Pruner.
func (s Store[T]) Wrote(obj T, types []string) []string {
	extension, err := accessor(obj)
	if err != nil || isLeaving(extension) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(types), func(conditionType string) bool {
		return !slices.Contains(s.Former, gardencorev1beta1.ConditionType(conditionType))
	})
}

// Apply implements healthcheck.Store. It leaves all other conditions alone, because their
// writers are unknown.
func (s Store[T]) Apply(ctx context.Context, obj T, conditions []healthcheck.Condition) error {
	extension, err := accessor(obj)
	if err != nil {
		return err
	}
	stored := extension.GetExtensionStatus().GetConditions()
	now := metav1.NewTime(clockOr(s.Clock).Now()).Rfc3339Copy()
	var p patch
	for _, c := range conditions {
		index := slices.IndexFunc(stored, func(old gardencorev1beta1.Condition) bool { return string(old.Type) == c.Type })
		var old gardencorev1beta1.Condition
		if index >= 0 {
			old = stored[index]
		}
		p.set(index, build(old, s.Normalize(c), now))
	}
	return s.write(ctx, obj, len(stored) == 0, p)
}

// build returns a condition by the rules of Gardener. Old is empty if there was none.
func build(old gardencorev1beta1.Condition, c healthcheck.Condition, now metav1.Time) gardencorev1beta1.Condition {
	next := gardencorev1beta1.Condition{
		Type: gardencorev1beta1.ConditionType(c.Type), Status: gardencorev1beta1.ConditionStatus(c.Status),
		Reason: c.Reason, Message: c.Message, Codes: codesOf(c.Codes),
		LastTransitionTime: metav1.NewTime(c.LastTransitionTime), LastUpdateTime: old.LastUpdateTime,
	}
	if next.LastTransitionTime.IsZero() {
		next.LastTransitionTime = now
	}
	if next.LastUpdateTime.IsZero() || old.Reason != next.Reason || old.Message != next.Message || !slices.Equal(old.Codes, next.Codes) {
		next.LastUpdateTime = now
	}
	return next
}

func codesOf(texts []string) []gardencorev1beta1.ErrorCode {
	var codes []gardencorev1beta1.ErrorCode
	for _, text := range texts {
		codes = append(codes, gardencorev1beta1.ErrorCode(text))
	}
	return codes
}

func clockOr(c clock.PassiveClock) clock.PassiveClock {
	if c == nil {
		return clock.RealClock{}
	}
	return c
}
