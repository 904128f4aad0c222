package fault

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"github.com/sickbay-dev/sickbay/sim/mishap"
)

// Mishap is a failure of a manager's write, or of the watch events of its caches.
type Mishap = mishap.Mishap

// The mishaps of writes, and of caches.
const (
	CrashBefore = mishap.CrashBefore
	CrashAfter  = mishap.CrashAfter
	AnswerLost  = mishap.AnswerLost
	Conflict    = mishap.Conflict
	ServerError = mishap.ServerError
	// Delayed holds back the events of a kind for StaleTime. It is the kind of the object that is written, or that
	// the event is about.
	Delayed Mishap = "events delayed from"
	// Dropped drops them. After StaleTime, the watch expires, and the cache lists again.
	Dropped Mishap = "events dropped from"
)

// WriteMishaps returns the mishaps that can happen at a write.
func WriteMishaps() []Mishap {
	return append([]Mishap{CrashBefore, CrashAfter, AnswerLost, Conflict, ServerError}, EventMishaps()...)
}

// EventMishaps returns the mishaps that can happen at a watch event: it can only come late, or never.
func EventMishaps() []Mishap { return []Mishap{Delayed, Dropped} }

// StaleTime is how long a cache stays behind. It is much longer than the normal lag of a cache, and than the time
// after which Sickbay looks again.
const StaleTime = 2 * time.Second

// Moment identifies a write or a watch event: a description that is the same in every run, and its number among those
// with that description.
type Moment struct {
	What string
	Nth  int
	// Event is true for a watch event, and false for a write.
	Event bool
}

func (m Moment) String() string { return fmt.Sprintf("%s (no. %d)", m.What, m.Nth) }

// ErrCrashed is the error that a manager gets after its crash.
var ErrCrashed = errors.New("the process has crashed")

var errAnswerLost = errors.New("the connection broke before the answer came")

// Wire is between a manager and its API server. It records what passes, and causes one mishap.
type Wire struct {
	// Moment is when the mishap happens. With the zero value, the wire only records.
	Moment Moment
	Mishap Mishap
	// Role returns the role of an object in the test. If it is empty, the wire neither records nor disturbs the
	// object.
	Role func(resource, name string) string
	// Kill ends the manager, for crashes.
	Kill context.CancelFunc

	mu       sync.Mutex
	moments  []Moment
	happened bool
	// stale is the resource whose events are disturbed, until the time until.
	stale string
	until time.Time
	// disturbed is closed when the disturbance begins.
	disturbed chan struct{}
}

// Config returns a configuration for a manager that uses the wire.
func (w *Wire) Config(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	// The wire must be able to read what passes.
	config.ContentType, config.AcceptContentTypes = "application/json", "application/json"
	w.disturbed = make(chan struct{})
	config.Wrap(func(real http.RoundTripper) http.RoundTripper { return &transport{wire: w, real: real} })
	return config
}

// Happened reports whether the mishap has happened.
func (w *Wire) Happened() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.happened
}

// Crashed reports whether the manager has crashed.
func (w *Wire) Crashed() bool {
	return w.Mishap.Crashes() && w.Happened()
}

// Moments returns what has passed so far.
func (w *Wire) Moments() []Moment {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.moments)
}

// reach records a moment, and reports whether the mishap happens at it. If the mishap is one of events, it begins to
// disturb the events of the resource.
func (w *Wire) reach(what, resource string, event bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := Moment{What: what, Nth: 1, Event: event}
	for _, earlier := range w.moments {
		if earlier.What == what {
			m.Nth++
		}
	}
	w.moments = append(w.moments, m)
	if m != w.Moment || w.happened {
		return false
	}
	w.happened = true
	if w.Mishap == Delayed || w.Mishap == Dropped {
		w.stale, w.until = resource, time.Now().Add(StaleTime)
		close(w.disturbed)
	}
	return true
}

// staleness returns how much longer the events of a resource are disturbed.
func (w *Wire) staleness(resource string) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stale != resource {
		return 0
	}
	return max(0, time.Until(w.until))
}
