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
)

// Mishap is what can happen to a write of a manager, or to the watch events of its caches.
type Mishap string

// The mishaps of writes, and of caches.
const (
	// CrashBefore and CrashAfter end the manager at the write: nothing that it asks for afterwards reaches the API server.
	CrashBefore Mishap = "crash before"
	CrashAfter  Mishap = "crash after"
	// AnswerLost lets the write happen. The manager gets an error of the connection.
	AnswerLost Mishap = "answer lost at"
	// Conflict and ServerError refuse the write.
	Conflict    Mishap = "conflict at"
	ServerError Mishap = "error 500 at"
	// Delayed holds back the events of the kind that is written, or that the event is about, for StaleTime.
	Delayed Mishap = "events delayed from"
	// Dropped loses them. After StaleTime the watch expires, and the cache lists anew.
	Dropped Mishap = "events dropped from"
)

// WriteMishaps and EventMishaps are all of them: an event can only come late, or not at all.
func WriteMishaps() []Mishap {
	return append([]Mishap{CrashBefore, CrashAfter, AnswerLost, Conflict, ServerError}, EventMishaps()...)
}

// EventMishaps are those of watch events.
func EventMishaps() []Mishap { return []Mishap{Delayed, Dropped} }

// StaleTime is how long a cache stays behind. It is much longer than any cache lags of itself, and than Sickbay waits
// before it looks again.
const StaleTime = 2 * time.Second

// Moment names a write or a watch event, in words that are the same in every run, and the how-manieth of those it is.
type Moment struct {
	What string
	Nth  int
	// Event tells a watch event from a write.
	Event bool
}

func (m Moment) String() string { return fmt.Sprintf("%s (no. %d)", m.What, m.Nth) }

// ErrCrashed is what the rest of a manager gets that has crashed.
var ErrCrashed = errors.New("the process has crashed")

var errAnswerLost = errors.New("the connection broke before the answer came")

// Wire is how a manager reaches its API server. It records what passes, and lets one mishap happen.
type Wire struct {
	// Moment is when it happens. With the zero value everything is recorded, and nothing happens.
	Moment Moment
	Mishap Mishap
	// Role names an object by the part that it plays, and is empty for those that are neither recorded nor disturbed.
	Role func(resource, name string) string
	// Kill ends the manager, for crashes.
	Kill context.CancelFunc

	mu       sync.Mutex
	moments  []Moment
	happened bool
	// stale is the resource whose events are disturbed, and until when.
	stale string
	until time.Time
	// disturbed is closed when that begins.
	disturbed chan struct{}
}

// Config returns a configuration for a manager that uses the wire.
func (w *Wire) Config(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	// What passes must be readable.
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

// Crashed reports whether the manager is dead.
func (w *Wire) Crashed() bool {
	return (w.Mishap == CrashBefore || w.Mishap == CrashAfter) && w.Happened()
}

// Moments returns what has passed so far.
func (w *Wire) Moments() []Moment {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.moments)
}

// reach records a moment, and reports whether it is the one of the mishap. From then on the events of a resource are
// disturbed, if that is the mishap.
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

// staleness returns for how long the events of a resource are still disturbed.
func (w *Wire) staleness(resource string) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stale != resource {
		return 0
	}
	return max(0, time.Until(w.until))
}
