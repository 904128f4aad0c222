package remediation

import (
	"context"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// sharedReads has those who want to read the same object at the same moment read it once. What somebody gets was never read
// before they asked. The zero value is ready to use.
type sharedReads struct {
	mu   sync.Mutex
	rows map[string]*row
}

// row is a read that is under way, and the next one, for those who came too late for it.
type row struct{ running, next *answer }

// get reads an object, or waits for another who does. The caller must not change what it gets.
func (s *sharedReads) get(ctx context.Context, live client.Reader, key client.ObjectKey, obj client.Object) (client.Object, error) {
	one, before, mine := s.join(question(obj, key))
	if !mine {
		select {
		case <-one.done:
			return one.obj, one.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	defer s.leave(question(obj, key), one)
	if before != nil {
		<-before.done
		s.begin(question(obj, key), one)
	}
	one.obj, one.err = obj, live.Get(ctx, key, obj)
	return one.obj, one.err
}

// join returns the read to wait for. If it is for the caller to make, before is the one that is under way.
func (s *sharedReads) join(what string) (one, before *answer, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rows == nil {
		s.rows = map[string]*row{}
	}
	r := s.rows[what]
	switch {
	case r == nil:
		one = &answer{done: make(chan struct{})}
		s.rows[what] = &row{running: one}
		return one, nil, true
	case r.next != nil:
		return r.next, nil, false
	}
	r.next = &answer{done: make(chan struct{})}
	return r.next, r.running, true
}

// begin has the next read be the one that is under way.
func (s *sharedReads) begin(what string, one *answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows[what] = &row{running: one}
}

// leave ends a read.
func (s *sharedReads) leave(what string, one *answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.rows[what]; r.running == one && r.next == nil {
		delete(s.rows, what)
	}
	close(one.done)
}
