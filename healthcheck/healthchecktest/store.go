package healthchecktest

import (
	"context"
	"slices"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Store keeps conditions in memory, by namespace and name, exactly as the engine writes
// them, with Progressing and codes. In a Kit, their words are those that a server would
// store: what the registration's own Store, or else a Metav1Store, makes of them. It does not change the objects, so a check that reads
// conditions from its object does not find these. The zero value is ready.
type Store[T client.Object] struct {
	kept kept[healthcheck.Condition]
	// normalize is that of the registration's store.
	normalize func(healthcheck.Condition) healthcheck.Condition
}

var _ healthcheck.Store[client.Object] = &Store[client.Object]{}

// Get implements healthcheck.Store.
func (s *Store[T]) Get(obj T) []healthcheck.Condition { return s.kept.get(obj) }

// Normalize implements healthcheck.Store.
func (s *Store[T]) Normalize(c healthcheck.Condition) healthcheck.Condition {
	if s.normalize == nil {
		return c
	}
	stored := s.normalize(c)
	stored.Status, stored.Codes = c.Status, c.Codes
	return stored
}

// Apply implements healthcheck.Store.
func (s *Store[T]) Apply(_ context.Context, obj T, conditions []healthcheck.Condition) error {
	s.kept.put(obj, conditions)
	return nil
}

// Remove implements healthcheck.Store.
func (s *Store[T]) Remove(_ context.Context, obj T, types []string) error {
	s.kept.put(obj, slices.DeleteFunc(s.Get(obj), func(c healthcheck.Condition) bool { return slices.Contains(types, c.Type) }))
	return nil
}

// Writes returns how often conditions were written or removed.
func (s *Store[T]) Writes() int { return s.kept.written() }

// progress keeps clocks in memory.
type progress[T client.Object] struct {
	kept kept[healthcheck.Progress]
}

var _ healthcheck.ProgressStore[client.Object] = &progress[client.Object]{}

// Load implements healthcheck.ProgressStore.
func (p *progress[T]) Load(obj T) []healthcheck.Progress { return p.kept.get(obj) }

// Save implements healthcheck.ProgressStore.
func (p *progress[T]) Save(_ context.Context, obj T, clocks []healthcheck.Progress) error {
	p.kept.put(obj, clocks)
	return nil
}

// kept holds a list of values for each object, and how often one was written.
type kept[V any] struct {
	mu     sync.Mutex
	of     map[client.ObjectKey][]V
	writes int
}

func (k *kept[V]) get(obj client.Object) []V { return k.at(client.ObjectKeyFromObject(obj)) }

func (k *kept[V]) at(key client.ObjectKey) []V {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.of[key])
}

func (k *kept[V]) put(obj client.Object, values []V) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil {
		k.of = map[client.ObjectKey][]V{}
	}
	k.of[client.ObjectKeyFromObject(obj)] = slices.Clone(values)
	k.writes++
}

func (k *kept[V]) written() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.writes
}

// forget drops the values of an object that is gone.
func (k *kept[V]) forget(key client.ObjectKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.of, key)
}
