package healthcheck

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
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
		applicability, err := precheck(ctx, in)
		if err != nil {
			return out, fmt.Errorf("deciding whether %s applies: %w", c.Type, err)
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

// runOne runs one check and returns at its timeout even if the check does not:
// a check that ignores its context costs one goroutine, never a worker.
func runOne[T any](ctx context.Context, check NamedCheck[T], in Input[T], timeout time.Duration) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	type answer struct {
		result Result
		err    error
	}
	answers := make(chan answer, 1)
	go func() {
		result, err := guarded(ctx, check, in)
		answers <- answer{result, err}
	}()
	select {
	case a := <-answers:
		return a.result, a.err
	case <-ctx.Done():
		err := fmt.Errorf("check %s did not answer within %s: %w", check.Name, timeout, ctx.Err())
		message := fmt.Sprintf("check %s did not answer within %s", check.Name, timeout)
		return Result{Status: Unknown, Reason: ReasonCheckTimedOut, Message: message}, err
	}
}

// guarded runs one check and turns its errors and panics into results.
func guarded[T any](ctx context.Context, check NamedCheck[T], in Input[T]) (result Result, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("check %s panicked: %v", check.Name, cause)
			result = Result{Status: Unknown, Reason: ReasonCheckPanicked, Message: err.Error()}
			ctrl.LoggerFrom(ctx).Error(err, "Check panicked", "check", check.Name, "stack", string(debug.Stack()))
		}
	}()
	result, err = check.Check.Check(ctx, in)
	if err != nil {
		err = fmt.Errorf("check %s: %w", check.Name, err)
		return Result{Status: Unknown, Reason: ReasonCheckFailed, Message: err.Error()}, err
	}
	return result, nil
}
