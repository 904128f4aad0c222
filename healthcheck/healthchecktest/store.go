package healthchecktest

import (
	"context"
	"slices"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Store keeps conditions in memory, by namespace and name, as the engine gives them:
// Progressing stays so, and codes are kept. The objects themselves are not changed, so a
// check that reads conditions from its object does not find these. The zero value is ready.
type Store[T client.Object] struct {
	mu         sync.Mutex
	conditions map[client.ObjectKey][]healthcheck.Condition
	writes     int
}

var _ healthcheck.Store[client.Object] = &Store[client.Object]{}

// Get implements healthcheck.Store.
func (s *Store[T]) Get(obj T) []healthcheck.Condition {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.conditions[client.ObjectKeyFromObject(obj)])
}

// Normalize implements healthcheck.Store.
func (s *Store[T]) Normalize(c healthcheck.Condition) healthcheck.Condition { return c }

// Apply implements healthcheck.Store.
func (s *Store[T]) Apply(_ context.Context, obj T, conditions []healthcheck.Condition) error {
	s.put(obj, slices.Clone(conditions))
	return nil
}

// Remove implements healthcheck.Store.
func (s *Store[T]) Remove(_ context.Context, obj T, types []string) error {
	s.put(obj, slices.DeleteFunc(s.Get(obj), func(c healthcheck.Condition) bool { return slices.Contains(types, c.Type) }))
	return nil
}

func (s *Store[T]) put(obj T, conditions []healthcheck.Condition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conditions == nil {
		s.conditions = map[client.ObjectKey][]healthcheck.Condition{}
	}
	s.conditions[client.ObjectKeyFromObject(obj)] = conditions
	s.writes++
}

// Writes is how often conditions were written or removed.
func (s *Store[T]) Writes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes
}

// forget drops the conditions of an object that is gone.
func (s *Store[T]) forget(key client.ObjectKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conditions, key)
}

// progress keeps clocks in memory.
type progress[T client.Object] struct {
	mu     sync.Mutex
	clocks map[client.ObjectKey][]healthcheck.Progress
	writes int
}

var _ healthcheck.ProgressStore[client.Object] = &progress[client.Object]{}

// Load implements healthcheck.ProgressStore.
func (p *progress[T]) Load(obj T) []healthcheck.Progress {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.clocks[client.ObjectKeyFromObject(obj)])
}

// Save implements healthcheck.ProgressStore.
func (p *progress[T]) Save(_ context.Context, obj T, clocks []healthcheck.Progress) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.clocks == nil {
		p.clocks = map[client.ObjectKey][]healthcheck.Progress{}
	}
	p.clocks[client.ObjectKeyFromObject(obj)] = slices.Clone(clocks)
	p.writes++
	return nil
}

func (p *progress[T]) written() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.writes
}

func (p *progress[T]) forget(key client.ObjectKey) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.clocks, key)
}
