package upgradepause_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// tally counts requests by what they do.
type tally map[string]int

func (t tally) of(what string) int { return t[what] }

func (t *tally) add(more tally) {
	if *t == nil {
		*t = tally{}
	}
	for what, n := range more {
		(*t)[what] += n
	}
}

// counter counts the requests that pass through it.
type counter struct {
	mu    sync.Mutex
	tally tally
}

// take returns the requests since the last call.
func (c *counter) take() tally {
	c.mu.Lock()
	defer c.mu.Unlock()
	tally := c.tally
	c.tally = nil
	return tally
}

func (c *counter) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		c.mu.Lock()
		c.tally.add(tally{verbOf(req): 1})
		c.mu.Unlock()
		return next.RoundTrip(req)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

// verbOf distinguishes writes of MachineHealthChecks from writes of events.
func verbOf(req *http.Request) string {
	switch {
	case strings.HasSuffix(req.URL.Path, "/events"), strings.Contains(req.URL.Path, "/events/"):
		return "event"
	case req.Method == http.MethodPatch:
		return "patch"
	case req.Method == http.MethodGet && req.URL.Query().Get("watch") != "":
		return "watch"
	case req.Method == http.MethodGet:
		return "list"
	}
	return "other"
}

// marks knows which MachineHealthChecks are marked as paused, from a watch.
type marks struct {
	changed chan struct{}

	mu     sync.Mutex
	marked map[types.UID]bool
	seen   map[client.ObjectKey]bool
	last   time.Time
}

func watchMarks(b *testing.B, e *env.Env, kinds []schema.GroupVersionKind) *marks {
	b.Helper()
	m := &marks{changed: make(chan struct{}, 1), marked: map[types.UID]bool{}, seen: map[client.ObjectKey]bool{}}
	c, err := client.NewWithWatch(e.Config, client.Options{Scheme: e.Scheme})
	if err != nil {
		b.Fatal(err)
	}
	for _, kind := range kinds {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		w, err := c.Watch(context.Background(), list)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(w.Stop)
		go m.follow(w)
	}
	return m
}

func (m *marks) follow(w watch.Interface) {
	for event := range w.ResultChan() {
		if check, ok := event.Object.(*metav1.PartialObjectMetadata); ok {
			m.note(check, event.Type)
		}
	}
}

func (m *marks) note(check *metav1.PartialObjectMetadata, what watch.EventType) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.marked, check.UID)
	if _, ok := check.Annotations[pause.MarkerAnnotation]; ok && what != watch.Deleted {
		m.marked[check.UID] = true
	}
	m.seen[client.ObjectKeyFromObject(check)], m.last = true, time.Now()
	select {
	case m.changed <- struct{}{}:
	default:
	}
}

// await waits until that many MachineHealthChecks are marked.
func (m *marks) await(b *testing.B, want int) {
	b.Helper()
	m.until(b, func() bool { return len(m.marked) == want })
}

// awaitSeen waits until the watch has seen an object.
func (m *marks) awaitSeen(b *testing.B, key client.ObjectKey) {
	b.Helper()
	m.until(b, func() bool { return m.seen[key] })
}

func (m *marks) until(b *testing.B, done func() bool) {
	b.Helper()
	for {
		m.mu.Lock()
		ok := done()
		m.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-m.changed:
		case <-time.After(time.Minute):
			b.Fatal("nothing changes any more")
		}
	}
}

// lastAt returns when the last change was seen.
func (m *marks) lastAt() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last
}
