package fault

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/sickbay-dev/sickbay/sim/mishap"
)

// Mishap is a failure of a manager's write.
type Mishap = mishap.Mishap

// The mishaps of writes. The explorer has the others.
const (
	CrashBefore = mishap.CrashBefore
	CrashAfter  = mishap.CrashAfter
)

// Moment identifies a write: a description that is the same in every run, and its number among those with that description.
type Moment struct {
	What string
	Nth  int
}

func (m Moment) String() string { return fmt.Sprintf("%s (no. %d)", m.What, m.Nth) }

// ErrCrashed is the error that a manager gets after its crash.
var ErrCrashed = errors.New("the process has crashed")

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
}

// Config returns a configuration for a manager that uses the wire.
func (w *Wire) Config(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	// The wire must be able to read what is written.
	config.ContentType = "application/json"
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

// reach records a moment, and reports whether the mishap happens at it.
func (w *Wire) reach(what string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := Moment{What: what, Nth: 1}
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
	return true
}
