package healthcheck

import (
	"errors"
	"fmt"
	"time"
)

// brokenError says that foreign code panicked, timed out, or gave an undefined answer. Its text follows the name of that
// code: see describe.
type brokenError struct {
	reason, text string
}

// Error implements error.
func (e *brokenError) Error() string { return e.text }

// unmetError says that a check was not run because something that it needs was unavailable.
type unmetError struct {
	reason, what string
	err          error
}

// Error implements error.
func (e *unmetError) Error() string { return fmt.Sprintf("%s: %v", e.what, e.err) }

// Unwrap returns the cause.
func (e *unmetError) Unwrap() error { return e.err }

// reasonOf returns the reason of a condition whose check was not carried out.
func reasonOf(err error) string {
	if broken, ok := errors.AsType[*brokenError](err); ok {
		return broken.reason
	}
	if unmet, ok := errors.AsType[*unmetError](err); ok {
		return unmet.reason
	}
	if _, ok := errors.AsType[*UnavailableError](err); ok {
		return ReasonTargetUnavailable
	}
	return ReasonCheckFailed
}

// describe adds the name of what failed: "check c panicked: oh dear", or "check c: no route".
func describe(what string, err error) error {
	if broken, ok := errors.AsType[*brokenError](err); ok {
		return fmt.Errorf("%s %w", what, broken)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// LaterError postpones a condition. A check or a precheck returns it if it cannot answer yet but soon will, for example because
// another call is asking the same target. The condition stays as it is, whatever its other checks say; the engine logs nothing
// and looks at the object again. It still writes other conditions, and still retries after other errors. A check that always
// returns it never gives a verdict: use another error for what does not pass by itself.
type LaterError struct {
	// After is how soon the engine looks at the object again. If there are several, the soonest counts. The default is a
	// second; it also replaces a negative value.
	After time.Duration
}

// Error implements error.
func (e *LaterError) Error() string { return "there is no answer yet" }

// soon is the default of LaterError.After.
const soon = time.Second

// postponed splits errors into LaterErrors and others.
func postponed(errs []error) (later, failed error) {
	for _, err := range errs {
		if _, ok := errors.AsType[*LaterError](err); ok {
			later = errors.Join(later, err)
			continue
		}
		failed = errors.Join(failed, err)
	}
	return later, failed
}

// soonest returns the smallest After of the LaterErrors in err; zero if there is none.
func soonest(err error) time.Duration {
	var wrapped []error
	switch e := err.(type) { //nolint:errorlint // The whole tree is searched, and not only for the first.
	case *LaterError:
		if e == nil || e.After <= 0 {
			return soon
		}
		return e.After
	case interface{ Unwrap() []error }:
		wrapped = e.Unwrap()
	case interface{ Unwrap() error }:
		wrapped = []error{e.Unwrap()}
	}
	var first time.Duration
	for _, inner := range wrapped {
		if after := soonest(inner); after > 0 && (first == 0 || after < first) {
			first = after
		}
	}
	return first
}

// due returns when to look at the object again. Zero means on an event, or after the period.
func (p *plan) due(now time.Time) time.Time {
	if after := soonest(p.later); after > 0 {
		return Earliest(p.recheckAt, now.Add(after))
	}
	return p.recheckAt
}
