package healthcheck

import (
	"errors"
	"fmt"
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
