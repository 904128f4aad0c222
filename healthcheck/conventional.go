package healthcheck

import "context"

// conventional is a Metav1Store for a T that is known only at run time to have GetConditions: see Registration.Store.
type conventional[T any] struct{ Metav1Store[Metav1Object] }

func (s conventional[T]) object(obj T) Metav1Object { return any(obj).(Metav1Object) }

// Get implements Store.
func (s conventional[T]) Get(obj T) []Condition { return s.Metav1Store.Get(s.object(obj)) }

// Apply implements Store.
func (s conventional[T]) Apply(ctx context.Context, obj T, conditions []Condition) error {
	return s.Metav1Store.Apply(ctx, s.object(obj), conditions)
}

// Remove implements Store.
func (s conventional[T]) Remove(ctx context.Context, obj T, types []string) error {
	return s.Metav1Store.Remove(ctx, s.object(obj), types)
}

// Wrote implements Pruner.
func (s conventional[T]) Wrote(obj T, types []string) []string {
	return s.Metav1Store.Wrote(s.object(obj), types)
}
