package healthcheck

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// NewCheck gives a function a name, under which it is logged, and says what it needs beside
// the object. The type of the object follows from the function.
func NewCheck[T any](name string, check func(ctx context.Context, in Input[T]) (Result, error), needs ...Needs) NamedCheck[T] {
	named := NamedCheck[T]{Name: name, Check: CheckFunc[T](check)}
	for _, n := range needs {
		named.Needs |= n
	}
	return named
}

// NewCondition makes one condition of checks. Set more of its fields for more than that.
func NewCondition[T any](conditionType string, checks ...NamedCheck[T]) ConditionChecks[T] {
	return ConditionChecks[T]{Type: conditionType, Checks: checks}
}

// New makes a controller of a registration. Call AddToManager to run it.
func New[T client.Object](registration Registration[T]) *Reconciler[T] {
	r := &Reconciler[T]{Registration: registration}
	if r.New == nil && r.saysKind() {
		r.New = newOf[T]
	}
	return r
}
