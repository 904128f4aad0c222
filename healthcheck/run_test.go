package healthcheck

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	ctrl "sigs.k8s.io/controller-runtime"
)

var errTest = errors.New("no route")

// TestBrokenChecks covers every way in which a check can fail to answer. The clock of the
// bubble is fake, so a timeout takes no time.
func TestBrokenChecks(t *testing.T) {
	tests := map[string]struct {
		check         CheckFunc[string]
		reason, error string
	}{
		"an error": {
			func(context.Context, Input[string]) (Result, error) { return Result{Status: True}, errTest },
			ReasonCheckFailed, "check c: no route",
		},
		"a panic": {
			func(context.Context, Input[string]) (Result, error) { panic("oh dear") },
			ReasonCheckPanicked, "check c panicked: oh dear",
		},
		"nil dereferenced": {
			func(context.Context, Input[string]) (Result, error) { return *(*Result)(nil), nil },
			ReasonCheckPanicked, "check c panicked: runtime error: invalid memory address or nil pointer dereference",
		},
		"a timeout that the check notices": {
			func(ctx context.Context, _ Input[string]) (Result, error) {
				<-ctx.Done()
				return Result{}, ctx.Err()
			},
			ReasonCheckTimedOut, "check c did not answer within 3s",
		},
		"a timeout that the check notices and calls by another name": {
			func(ctx context.Context, _ Input[string]) (Result, error) {
				<-ctx.Done()
				return Result{}, errTest
			},
			ReasonCheckTimedOut, "check c did not answer within 3s",
		},
		"a timeout that the check ignores": {
			func(context.Context, Input[string]) (Result, error) {
				<-time.After(time.Hour)
				return Result{Status: True}, nil
			},
			ReasonCheckTimedOut, "check c did not answer within 3s",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				started := time.Now()
				out := bare(3*time.Second).checkCondition(t.Context(), only(tt.check), nil)
				if out.err == nil || !strings.HasPrefix(out.err.Error(), tt.error) {
					t.Errorf("error is %v, want %q", out.err, tt.error)
				}
				if out.result.Status != Unknown || out.result.Reason != tt.reason || out.result.Message != tt.error {
					t.Errorf("got %+v, want Unknown, %s, %q", out.result, tt.reason, tt.error)
				}
				if took := time.Since(started); took > 3*time.Second {
					t.Errorf("it took %s", took)
				}
				<-time.After(2 * time.Hour) // a check that ignores its context must end within the bubble
			})
		})
	}
}

// TestPanicIsLogged: only the stack shows the cause.
func TestPanicIsLogged(t *testing.T) {
	var log strings.Builder
	ctx := ctrl.LoggerInto(t.Context(), funcr.New(func(_, args string) { log.WriteString(args) }, funcr.Options{}))
	check := CheckFunc[string](func(context.Context, Input[string]) (Result, error) { panic("oh dear") })
	bare(time.Minute).checkCondition(ctx, only(check), nil)
	for _, want := range []string{"Check panicked", "oh dear", "run_test.go"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not hold %q: %s", want, log.String())
		}
	}
}

// TestChecksRunSideBySide runs checks that wait for each other to start.
func TestChecksRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := CheckFunc[string](func(context.Context, Input[string]) (Result, error) {
			<-time.After(time.Second)
			return Result{Status: True, Reason: "R"}, nil
		})
		conditions := only(wait)
		for range 9 {
			conditions.Checks = append(conditions.Checks, NamedCheck[string]{Name: "c", Check: wait})
		}
		started := time.Now()
		out := bare(time.Minute).checkCondition(t.Context(), conditions, nil)
		if out.result.Status != True {
			t.Errorf("got %+v, want True", out.result)
		}
		if took := time.Since(started); took != time.Second {
			t.Errorf("ten checks of a second took %s, want a second", took)
		}
	})
}

// only returns a condition with one check.
func only(check Check[string], prechecks ...Precheck[string]) ConditionChecks[string] {
	return ConditionChecks[string]{Type: "Ready", Prechecks: prechecks, Checks: []NamedCheck[string]{{Name: "c", Check: check}}}
}

// bare is a run without an object or surroundings.
func bare(timeout time.Duration) run[string] {
	return run[string]{
		in: Input[string]{Now: testNow}, timeout: timeout,
		poll: func(NamedCheck[string], Status) time.Duration { return forever },
	}
}
