package report

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Objects summarizes the objects of one kind. Its method Overview can be a
// Handler.Overview. It is safe for concurrent use.
type Objects[T client.Object] struct {
	// Reader lists the objects. Give it the manager's client, which reads from its cache.
	Reader client.Reader
	// NewList returns an empty list of the kind, for example
	// func() client.ObjectList { return &appsv1.DeploymentList{} }.
	NewList func() client.ObjectList
	// ListOptions select the objects, such as client.InNamespace. The default is all.
	ListOptions []client.ListOption
	// Conditions returns the conditions of an object, such as the method Get of a Store.
	Conditions func(obj T) []healthcheck.Condition
	// Wants lists the condition types that each object must have, as in Subject.Wants.
	Wants []string
	// Negative lists the condition types of negative polarity, as in Subject.Negative.
	Negative []string
	// StaleAfter and ConfirmedAt are those of each subject. By default nothing is stale,
	// because conditions are written when they change, not when they are confirmed.
	StaleAfter  time.Duration
	ConfirmedAt func(obj T) time.Time
	// Clock tells the time. The default is the real one.
	Clock clock.PassiveClock
}

// Overview lists the objects and summarizes their conditions. The name of each subject is
// "namespace/name", or "name" if the kind has no namespaces.
func (o Objects[T]) Overview(ctx context.Context) (Overview, error) {
	list := o.NewList()
	if err := o.Reader.List(ctx, list, o.ListOptions...); err != nil {
		return Overview{}, fmt.Errorf("listing objects: %w", err)
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		return Overview{}, fmt.Errorf("reading a %T: %w", list, err)
	}
	subjects := make([]Subject, len(items))
	for i, item := range items {
		obj, ok := item.(T)
		if !ok {
			return Overview{}, fmt.Errorf("a %T has a %T in it, want a %T", list, item, *new(T))
		}
		subjects[i] = o.subject(obj)
	}
	now := clock.PassiveClock(clock.RealClock{})
	if o.Clock != nil {
		now = o.Clock
	}
	return Summarize(now.Now(), subjects...), nil
}

func (o Objects[T]) subject(obj T) Subject {
	s := Subject{
		Name: obj.GetName(), Conditions: o.Conditions(obj), Wants: o.Wants, Negative: o.Negative,
		Generation: obj.GetGeneration(), StaleAfter: o.StaleAfter,
	}
	if obj.GetNamespace() != "" {
		s.Name = client.ObjectKeyFromObject(obj).String()
	}
	if o.ConfirmedAt != nil {
		s.ConfirmedAt = o.ConfirmedAt(obj)
	}
	return s
}
