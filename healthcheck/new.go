package healthcheck

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// NewCheck returns a check made from a function, its name in messages and metrics, and what
// it needs besides the object. The type of the object follows from the function.
func NewCheck[T any](name string, check func(ctx context.Context, in Input[T]) (Result, error), needs ...Needs) NamedCheck[T] {
	named := NamedCheck[T]{Name: name, Check: CheckFunc[T](check)}
	for _, n := range needs {
		named.Needs |= n
	}
	return named
}

// NewCondition returns a condition with the given type and checks. Set the other fields of
// the result for more.
func NewCondition[T any](conditionType string, checks ...NamedCheck[T]) ConditionChecks[T] {
	return ConditionChecks[T]{Type: conditionType, Checks: checks}
}

// New returns a controller for a registration. Call AddToManager to run it.
func New[T client.Object](registration Registration[T]) *Reconciler[T] {
	r := &Reconciler[T]{Registration: registration}
	if r.New == nil && r.saysKind() {
		r.New = newOf[T]
	}
	return r
}
