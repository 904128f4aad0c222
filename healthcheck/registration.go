package healthcheck

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// DefaultCheckTimeout is how long a check may take if the registration does not
// say.
const DefaultCheckTimeout = 30 * time.Second

// NamedCheck is a check with the name under which it is logged.
type NamedCheck[T any] struct {
	// Name identifies the check among those of its condition.
	Name string
	// Check is run for each object.
	Check Check[T]
}

// ConditionChecks is all that makes one condition type.
type ConditionChecks[T any] struct {
	// Type is the condition type. One condition has one writer: nobody else may
	// write it.
	Type string
	// Prechecks are asked in order; the first that does not answer Applies decides.
	Prechecks []Precheck[T]
	// Checks are run side by side; their results are merged in this order.
	Checks []NamedCheck[T]
}

// Registration describes the health checks of one kind of object.
type Registration[T client.Object] struct {
	// Name is the name of the controller, unique in its manager.
	Name string
	// New returns an empty object of the kind, for example
	// func() *appsv1.Deployment { return &appsv1.Deployment{} }.
	New func() T
	// Conditions are the condition types and their checks.
	Conditions []ConditionChecks[T]
	// Store reads and writes the conditions.
	Store Store[T]
	// SyncPeriod is the net below the events: each object is checked again after
	// it at the latest, give or take a tenth. Zero, the default, means never.
	SyncPeriod time.Duration
	// CheckTimeout bounds each check. The default is DefaultCheckTimeout.
	CheckTimeout time.Duration
	// Concurrency is how many objects are checked at once. The default is 1.
	Concurrency int
	// Predicates filter the events of the kind itself. Without any, each event
	// leads to a check.
	Predicates []predicate.Predicate
	// Watches, if set, adds watches on whatever the checks look at. It is called
	// once, before the controller starts; it may keep ctl to add more later.
	Watches func(ctl controller.Controller) error
	// OnTransition, if set, is called after a condition was stored, changed its
	// status or its reason. It is the place for events and metrics.
	OnTransition func(ctx context.Context, obj T, transition Transition)
}

// Transition is a change of a stored condition.
type Transition struct {
	// From is the condition as it was; its Status is empty if there was none.
	From Condition
	// To is the condition as it is stored now; its Status is empty if it was
	// removed.
	To Condition
	// Result is the merged result behind To.
	Result Result
	// At is when To was known to be stored.
	At time.Time
}

// Validate returns an error that names everything that is missing or wrong.
func (r *Registration[T]) Validate() error {
	var errs []error
	if r.Name == "" {
		errs = append(errs, errors.New("a registration needs a name"))
	}
	if r.New == nil || r.Store == nil {
		errs = append(errs, fmt.Errorf("registration %q needs New and Store", r.Name))
	}
	if len(r.Conditions) == 0 {
		errs = append(errs, fmt.Errorf("registration %q has no conditions", r.Name))
	}
	seen := map[string]bool{}
	for _, c := range r.Conditions {
		if c.Type == "" || seen[c.Type] {
			errs = append(errs, fmt.Errorf("registration %q: condition type %q is empty or registered twice", r.Name, c.Type))
		}
		seen[c.Type] = true
		if len(c.Checks) == 0 {
			errs = append(errs, fmt.Errorf("registration %q: condition %q has no checks", r.Name, c.Type))
		}
		for _, check := range c.Checks {
			if check.Check == nil {
				errs = append(errs, fmt.Errorf("registration %q: check %q of condition %q is nil", r.Name, check.Name, c.Type))
			}
		}
	}
	return errors.Join(errs...)
}
