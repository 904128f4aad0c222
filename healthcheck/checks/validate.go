package checks

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// configured is a check with what is wrong with its settings, which a registration refuses.
type configured[T any] struct {
	healthcheck.CheckFunc[T]

	problem error
}

// Validate implements healthcheck.Validator.
func (c configured[T]) Validate() error { return c.problem }

// checkOf returns a check; problems are what is wrong with its settings.
func checkOf[T any](check healthcheck.CheckFunc[T], problems ...error) healthcheck.Check[T] {
	return configured[T]{check, errors.Join(problems...)}
}

// also adds problems to a check of checkOf.
func also[T any](named healthcheck.NamedCheck[T], problems ...error) healthcheck.NamedCheck[T] {
	check := named.Check.(configured[T])
	named.Check = checkOf(check.CheckFunc, append(problems, check.problem)...)
	return named
}

// The problems of a check whose functions are nil.
var (
	errNoFind = errors.New("its function that finds what to look at is nil")
	errNoRule = errors.New("its rule is nil")
)

// required returns the problem if something is missing.
func required(missing bool, problem error) error {
	if missing {
		return problem
	}
	return nil
}

// shortestTimeout is the minimum of timeouts: less is a number whose unit was forgotten.
const shortestTimeout = time.Millisecond

// duration returns an error for a time that is negative or below its minimum; zero stands for a default.
func duration(field string, d, least time.Duration) error {
	switch {
	case d < 0:
		return fmt.Errorf("its %s is negative", field)
	case d > 0 && d < least:
		return fmt.Errorf("its %s is %s, and at least %s is possible", field, d, least)
	}
	return nil
}

// validate returns what is wrong with the settings.
func (e Expiry) validate() error {
	errs := []error{duration("Deadline", e.Deadline, 0), duration("Poll", e.Poll, time.Second)}
	if e.Warning > 0 && e.Warning < e.Deadline {
		errs = append(errs, fmt.Errorf("its Warning, %s before the expiry, comes after its Deadline, %s before", e.Warning, e.Deadline))
	}
	return errors.Join(errs...)
}

// validate returns what is wrong with the settings.
func (p HTTPProbe) validate() error {
	var errs []error
	if _, err := http.NewRequest(p.Method, "http://localhost", nil); err != nil { //nolint:noctx // It is never sent.
		errs = append(errs, fmt.Errorf("its Method %q is no HTTP method", p.Method))
	}
	if p.MaxBody < 0 {
		errs = append(errs, errors.New("its MaxBody is negative"))
	}
	return errors.Join(errs...)
}
