package remediation

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// ahead is a live reader that has started its reads in parallel before they are needed one by one.
type ahead struct {
	client.Reader
	answers map[string]*answer
}

type answer struct {
	done chan struct{}
	obj  client.Object
	err  error
}

func question(obj client.Object, key client.ObjectKey) string { return fmt.Sprintf("%T %s", obj, key) }

// ask starts to read an object in the background.
func (a *ahead) ask(obj client.Object, key client.ObjectKey, read func(client.Object) (client.Object, error)) {
	one := &answer{done: make(chan struct{})}
	a.answers[question(obj, key)] = one
	go func() {
		defer close(one.done)
		one.obj, one.err = read(obj)
	}()
}

// Get implements client.Reader.
func (a *ahead) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	one, known := a.answers[question(obj, key)]
	if !known {
		return a.Reader.Get(ctx, key, obj, opts...)
	}
	<-one.done
	if one.err == nil {
		reflect.ValueOf(obj).Elem().Set(reflect.ValueOf(one.obj).Elem())
	}
	return one.err
}

// lookAhead starts all reads that an observation of a record will need, as far as the caches show them.
func (r *Reader) lookAhead(ctx context.Context, record *v1alpha1.MachineRemediation, how depth, shown *view) *ahead {
	a := &ahead{Reader: r.Live, answers: map[string]*answer{}}
	if !r.sideBySide || r.OpenShift {
		return a
	}
	own := func(obj client.Object, key client.ObjectKey) {
		a.ask(obj, key, func(obj client.Object) (client.Object, error) { return obj, r.Live.Get(ctx, key, obj) })
	}
	common := func(obj client.Object, key client.ObjectKey) {
		a.ask(obj, key, func(obj client.Object) (client.Object, error) { return r.shared.get(ctx, r.Live, key, obj) })
	}
	if how >= current {
		own(&v1alpha1.MachineRemediation{}, client.ObjectKeyFromObject(record))
	}
	own(&clusterv1.Machine{}, machineKey(record))
	if shown == nil || shown.mhc == nil {
		return a
	}
	common(&clusterv1.Cluster{}, clusterKey(record))
	common(&clusterv1.MachineHealthCheck{}, client.ObjectKeyFromObject(shown.mhc))
	if mhcspec.NamesPlan(shown.mhc) {
		common(&v1alpha1.MachineRemediationTemplate{}, mhcspec.PlanKey(shown.mhc))
	}
	return a
}

// sharedReads lets concurrent readers of the same object share one read. No reader gets an answer from a read that began before it
// asked. The zero value is ready to use.
type sharedReads struct {
	mu   sync.Mutex
	rows map[string]*row
}

// row is a read under way, and the next one, for readers who came too late for it.
type row struct{ running, next *answer }

// get reads an object, or waits for another reader. The caller must not change the result.
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

// join returns the read to wait for. If the caller has to make it, before is the one under way.
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

// begin makes the next read the one under way.
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
