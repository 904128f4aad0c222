package healthcheck

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// outcome is what a run found out about one condition type.
type outcome struct {
	conditionType string
	applicability Applicability
	result        Result
	// err is why a check could not be carried out; the result says so too.
	err error
}

// evaluate runs everything that makes one condition.
func evaluate[T any](ctx context.Context, c ConditionChecks[T], in Input[T], timeout time.Duration) (outcome, error) {
	out := outcome{conditionType: c.Type}
	for _, precheck := range c.Prechecks {
		applicability, err := bounded(ctx, timeout, func(ctx context.Context) (Applicability, error) { return precheck(ctx, in) })
		if err != nil {
			return out, describe("deciding whether "+c.Type+" applies", err)
		}
		if applicability != Applies {
			out.applicability = applicability
			return out, nil
		}
	}
	results := make([]Result, len(c.Checks))
	errs := make([]error, len(c.Checks))
	var wait sync.WaitGroup
	for i, check := range c.Checks {
		wait.Go(func() { results[i], errs[i] = runOne(ctx, check, in, timeout) })
	}
	wait.Wait()
	out.result = Merge(in.Now, results...)
	out.err = errors.Join(errs...)
	return out, nil
}

// runOne runs one check and makes a result of it even if it gives none.
func runOne[T any](ctx context.Context, check NamedCheck[T], in Input[T], timeout time.Duration) (Result, error) {
	result, err := bounded(ctx, timeout, func(ctx context.Context) (Result, error) { return check.Check.Check(ctx, in) })
	if err == nil {
		return result, nil
	}
	reason := ReasonCheckFailed
	if broken, ok := errors.AsType[*brokenError](err); ok {
		reason = broken.reason
	}
	err = describe("check "+check.Name, err)
	return Result{Status: Unknown, Reason: reason, Message: err.Error()}, err
}

// describe says what failed.
func describe(what string, err error) error {
	if broken, ok := errors.AsType[*brokenError](err); ok {
		return fmt.Errorf("%s %w", what, broken)
	}
	return fmt.Errorf("%s: %w", what, err)
}
