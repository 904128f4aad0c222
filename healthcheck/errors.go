package healthcheck

import (
	"errors"
	"fmt"
)

// brokenError says that foreign code panicked, did not answer in time, or gave an answer that there is not. Its text goes on
// after the name of that code: see describe.
type brokenError struct {
	reason, text string
}

// Error implements error.
func (e *brokenError) Error() string { return e.text }

// unmetError says that a check was not run, since what it needs could not be had.
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

// describe says what failed: "check c panicked: oh dear", or "check c: no route".
func describe(what string, err error) error {
	if broken, ok := errors.AsType[*brokenError](err); ok {
		return fmt.Errorf("%s %w", what, broken)
	}
	return fmt.Errorf("%s: %w", what, err)
}
