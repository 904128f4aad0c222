package healthcheck_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/healthchecktest"
)

// ownStore claims to have written all existing conditions.
type ownStore struct {
	*healthchecktest.Store[*Widget]
}

func (ownStore) Wrote(_ *Widget, types []string) []string { return types }

// prechecked returns a Widget with two conditions that were True, one of an earlier version, a clock, and a precheck.
func prechecked(t *testing.T, precheck healthcheck.ObjectPrecheck[*Widget]) (f *memory, runs *atomic.Int32) {
	t.Helper()
	runs = &atomic.Int32{}
	fine := func() (healthcheck.Result, error) {
		runs.Add(1)
		return result(healthcheck.True, "Fine", ""), nil
	}
	slow := result(healthcheck.Progressing, "RollingOut", "")
	slow.Within = time.Hour
	f = inMemory(t, condition("A", fine), condition("B", fine), condition("Abandoned", says(slow, nil)))
	f.Store = ownStore{f.Store.(*healthchecktest.Store[*Widget])}
	f.reconcile(t)
	f.Conditions, f.Precheck = f.Conditions[:2], precheck
	runs.Store(0)
	return f, runs
}

func TestObjectPrecheck(t *testing.T) {
	tests := map[string]struct {
		answer healthcheck.Applicability
		until  time.Time
		want   map[string]healthcheck.Status
		runs   int32
		again  time.Duration
	}{
		"applies":                     {healthcheck.Applies, time.Time{}, map[string]healthcheck.Status{"A": "True", "B": "True"}, 2, 0},
		"applies until":               {healthcheck.Applies, in(time.Minute), map[string]healthcheck.Status{"A": "True", "B": "True"}, 2, time.Minute},
		"is left alone":               {healthcheck.LeaveAlone, time.Time{}, map[string]healthcheck.Status{"A": "True", "B": "True", "Abandoned": "Progressing"}, 0, 0},
		"is left alone until":         {healthcheck.LeaveAlone, in(time.Minute), map[string]healthcheck.Status{"A": "True", "B": "True", "Abandoned": "Progressing"}, 0, time.Minute},
		"does not apply":              {healthcheck.DoesNotApply, time.Time{}, map[string]healthcheck.Status{}, 0, 0},
		"does not apply until":        {healthcheck.DoesNotApply, in(time.Minute), map[string]healthcheck.Status{}, 0, time.Minute},
		"until a time that is over":   {healthcheck.LeaveAlone, in(-time.Minute), map[string]healthcheck.Status{"A": "True", "B": "True", "Abandoned": "Progressing"}, 0, 0},
		"until now, which is no time": {healthcheck.Applies, now, map[string]healthcheck.Status{"A": "True", "B": "True"}, 2, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			asked := 0
			f, runs := prechecked(t, func(_ context.Context, in healthcheck.Input[*Widget]) (healthcheck.Applicability, time.Time, error) {
				asked++
				if in.Object.Name != "w" || !in.Now.Equal(now) || in.Current != nil || in.Env != (healthcheck.Env{}) {
					t.Errorf("it gets %+v", in)
				}
				return tt.answer, tt.until, nil
			})
			before := f.stored(t)
			if got := f.reconcile(t).RequeueAfter; got != tt.again {
				t.Errorf("it is looked at again after %s, want %s", got, tt.again)
			}
			if diff := cmp.Diff(tt.want, f.kept()); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
			if runs.Load() != tt.runs || asked != 1 {
				t.Errorf("%d checks were run, want %d, and it was asked %d times", runs.Load(), tt.runs, asked)
			}
			if written := f.stored(t).ResourceVersion != before.ResourceVersion; written == (tt.answer == healthcheck.LeaveAlone) {
				t.Errorf("clocks were written: %t", written)
			}
		})
	}
}

// TestObjectPrecheckFails: it is unknown whether the object applies, and all its conditions say so.
func TestObjectPrecheckFails(t *testing.T) {
	answers := func(answer healthcheck.Applicability, err error) healthcheck.ObjectPrecheck[*Widget] {
		return func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Applicability, time.Time, error) {
			return answer, in(time.Minute), err
		}
	}
	tests := map[string]struct {
		precheck healthcheck.ObjectPrecheck[*Widget]
		want     string
	}{
		"an error": {answers(healthcheck.Applies, errors.New("broken")), healthcheck.ReasonCheckFailed},
		"a panic": {
			func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Applicability, time.Time, error) {
				panic("oh dear")
			},
			healthcheck.ReasonCheckPanicked,
		},
		"no end": {func(ctx context.Context, _ healthcheck.Input[*Widget]) (healthcheck.Applicability, time.Time, error) {
			<-ctx.Done()
			return healthcheck.DoesNotApply, time.Time{}, ctx.Err()
		}, healthcheck.ReasonCheckTimedOut},
		"no such answer": {answers(17, nil), healthcheck.ReasonInvalidResult},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f, runs := prechecked(t, tt.precheck)
			f.Conditions[1].WhileUndecided = healthcheck.LeaveAlone
			if name == "no end" {
				f.CheckTimeout = time.Millisecond
			}
			_, err := f.Reconcile(t.Context(), f.request())
			if err == nil || strings.Count(err.Error(), "deciding whether") != 1 {
				t.Errorf("the error is %v", err)
			}
			if diff := cmp.Diff(map[string]healthcheck.Status{"A": "Unknown", "B": "True"}, f.kept()); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
			if got := f.Store.Get(f.widget)[0].Reason; got != tt.want || runs.Load() != 0 {
				t.Errorf("the reason is %s, want %s; %d checks were run", got, tt.want, runs.Load())
			}
		})
	}
}

// TestObjectPrecheckLater: a LaterError leaves everything as it is.
func TestObjectPrecheckLater(t *testing.T) {
	f, _ := prechecked(t, func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Applicability, time.Time, error) {
		return healthcheck.DoesNotApply, time.Time{}, &healthcheck.LaterError{After: time.Minute}
	})
	if got := f.reconcile(t).RequeueAfter; got != time.Minute || len(f.kept()) != 3 {
		t.Errorf("it is looked at again after %s, conditions %v", got, f.kept())
	}
}

// TestObjectPrecheckCutOff: a cancelled run has no results.
func TestObjectPrecheckCutOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f, _ := prechecked(t, func(ctx context.Context, _ healthcheck.Input[*Widget]) (healthcheck.Applicability, time.Time, error) {
		cancel()
		return healthcheck.Applies, time.Time{}, ctx.Err()
	})
	if _, err := f.Reconcile(ctx, f.request()); !errors.Is(err, context.Canceled) || f.kept()["A"] != healthcheck.True {
		t.Errorf("error %v, conditions %v", err, f.kept())
	}
}

// TestObjectPrecheckNeeds: the precheck gets what it needs, which can change without an event.
func TestObjectPrecheckNeeds(t *testing.T) {
	f, _ := prechecked(t, func(_ context.Context, in healthcheck.Input[*Widget]) (healthcheck.Applicability, time.Time, error) {
		if in.Env.Parent == nil || in.Env.Source == nil || in.Env.Target != nil {
			t.Errorf("it gets %+v", in.Env)
		}
		return healthcheck.Applies, time.Time{}, nil
	})
	f.PrecheckNeeds = healthcheck.NeedsParent | healthcheck.NeedsSource
	if err := f.Validate(); err == nil || !strings.HasSuffix(err.Error(), "the precheck needs the parent, and there is no Parent") {
		t.Errorf("error is %v", err)
	}
	f.Parent = func(context.Context, *Widget) (client.Object, error) { return f.widget, nil }
	if again := f.reconcile(t).RequeueAfter; again < 30*time.Second || again > 30*time.Second*11/10 {
		t.Errorf("it is looked at again after %s", again)
	}
	f.Parent = func(context.Context, *Widget) (client.Object, error) { return nil, errors.New("no parent") }
	if _, err := f.Reconcile(t.Context(), f.request()); err == nil || f.Store.Get(f.widget)[0].Reason != healthcheck.ReasonParentUnavailable {
		t.Errorf("error %v, conditions %+v", err, f.Store.Get(f.widget))
	}
}
