package healthchecktest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/healthchecktest"
)

// assertion is one of those under test.
type assertion = func(healthchecktest.TB, healthcheck.NamedCheck[*Shop], healthcheck.Input[*Shop])

func progresses(deadline time.Time, within time.Duration, cause string) (healthcheck.Result, error) {
	return healthcheck.Result{Status: healthcheck.Progressing, Reason: "Opening", Message: "is opening", Deadline: deadline, Within: within, Cause: cause}, nil
}

func says(message string) (healthcheck.Result, error) {
	return healthcheck.Result{Status: healthcheck.False, Reason: "Bad", Message: message}, nil
}

// TestAssertions: each assertion finds its bad checks. Each of these checks makes another mistake that the engine cannot fix.
func TestAssertions(t *testing.T) {
	count := 0
	type in = healthcheck.Input[*Shop]
	tests := map[string]struct {
		assert assertion
		check  healthcheck.CheckFunc[*Shop]
		want   string
	}{
		"a counter": {healthchecktest.Stable[*Shop], func(context.Context, in) (healthcheck.Result, error) {
			count++
			return says(fmt.Sprint(count, " tries"))
		}, "gives different answers for the same object"},
		"an order left to chance": {healthchecktest.Stable[*Shop], func(context.Context, in) (healthcheck.Result, error) {
			var all []string
			for name := range map[string]bool{"a": true, "b": true, "c": true} {
				all = append(all, name)
			}
			return says(strings.Join(all, ", "))
		}, "gives different answers for the same object"},
		"a port": {healthchecktest.Stable[*Shop], func(context.Context, in) (healthcheck.Result, error) {
			count++
			return healthcheck.Result{}, fmt.Errorf("read tcp 127.0.0.1:%d: connection reset by peer", 40000+count)
		}, "gives different answers for the same object"},
		"the time": {healthchecktest.Stable[*Shop], func(_ context.Context, in in) (healthcheck.Result, error) {
			return says("bad at " + in.Now.Format(time.TimeOnly))
		}, "uses other words for the same result a second later"},
		"a cause with the time": {healthchecktest.Stable[*Shop], func(_ context.Context, in in) (healthcheck.Result, error) {
			return progresses(time.Time{}, time.Minute, in.Now.String())
		}, "uses other words for the same result a second later"},
		"a made-up status": {healthchecktest.Stable[*Shop], func(context.Context, in) (healthcheck.Result, error) {
			return healthcheck.Result{Status: "Perhaps"}, nil
		}, `returns the undefined status "Perhaps"`},
		"a changed label": {healthchecktest.Harmless[*Shop], func(ctx context.Context, in in) (healthcheck.Result, error) {
			in.Object.Labels["seen"] = "true"
			return healthy(ctx, in)
		}, "changes its object"},
		"a changed pointer": {healthchecktest.Harmless[*Shop], func(ctx context.Context, in in) (healthcheck.Result, error) {
			*in.Object.Open = false
			return healthy(ctx, in)
		}, "changes its object"},
		"no deadline": {healthchecktest.EndsInFalse[*Shop], func(context.Context, in) (healthcheck.Result, error) {
			return progresses(time.Time{}, 0, "")
		}, "says Progressing with neither Deadline nor Within"},
		"a deadline that moves": {healthchecktest.EndsInFalse[*Shop], func(_ context.Context, in in) (healthcheck.Result, error) {
			return progresses(in.Now.Add(time.Minute), 0, "")
		}, "would be Progressing for ever"},
		"new causes": {healthchecktest.EndsInFalse[*Shop], func(_ context.Context, in in) (healthcheck.Result, error) {
			return progresses(time.Time{}, time.Minute, in.Now.String())
		}, "would be Progressing for ever"},
		"healthy by itself": {healthchecktest.EndsInFalse[*Shop], func(ctx context.Context, in in) (healthcheck.Result, error) {
			if in.Current != nil {
				return healthy(ctx, in)
			}
			return progresses(in.Now.Add(time.Minute), 0, "")
		}, "is not False at its deadline"},
		"an error by itself": {healthchecktest.EndsInFalse[*Shop], func(_ context.Context, in in) (healthcheck.Result, error) {
			if in.Current != nil {
				return healthcheck.Result{}, errors.New("broken")
			}
			return progresses(in.Now.Add(time.Minute), 0, "")
		}, "is not False at its deadline"},
		"a nil pointer": {healthchecktest.SurvivesEmpty[*Shop], func(ctx context.Context, in in) (healthcheck.Result, error) {
			if *in.Object.Open {
				return healthy(ctx, in)
			}
			return says("closed")
		}, "of an empty object panics: runtime error: invalid memory address"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			said := caught(func(r *recorder) { tt.assert(r, check(tt.check), input()) })
			if len(said) != 1 || !strings.Contains(said[0], "check own") || !strings.Contains(said[0], tt.want) {
				t.Errorf("the test says %q, want %q", said, tt.want)
			}
			if all := caught(func(r *recorder) { healthchecktest.Sound(r, check(tt.check), input()) }); len(all) == 0 {
				t.Error("all together find nothing")
			}
		})
	}
}

// TestHarmlessParent: the parent comes from a cache, too.
func TestHarmlessParent(t *testing.T) {
	bad := check(func(ctx context.Context, in healthcheck.Input[*Shop]) (healthcheck.Result, error) {
		in.Env.Parent.SetName("other")
		return healthy(ctx, in)
	})
	bad.Needs = healthcheck.NeedsParent
	said := caught(func(r *recorder) { healthchecktest.Harmless(r, bad, input()) })
	if len(said) != 1 || !strings.Contains(said[0], "changes the parent") {
		t.Errorf("the test says %q", said)
	}
}

// TestSurvivesEmptyClusters: missing objects must not cause a panic, either. A check gets only what it declared.
func TestSurvivesEmptyClusters(t *testing.T) {
	reads := check(func(ctx context.Context, in healthcheck.Input[*Shop]) (healthcheck.Result, error) {
		var pods corev1.PodList
		if err := in.Env.Source.List(ctx, &pods); err != nil {
			return healthcheck.Result{}, err
		}
		return says(pods.Items[0].Name)
	})
	for needs, want := range map[healthcheck.Needs]string{
		healthcheck.NeedsSource: "index out of range",
		healthcheck.NeedsTarget: "nil pointer",
	} {
		reads.Needs = needs
		said := caught(func(r *recorder) { healthchecktest.SurvivesEmpty(r, reads, input()) })
		if len(said) != 1 || !strings.Contains(said[0], want) {
			t.Errorf("the test says %q, want %q", said, want)
		}
	}
}

// TestGoodChecks: these pass all assertions.
func TestGoodChecks(t *testing.T) {
	type in = healthcheck.Input[*Shop]
	for name, good := range map[string]healthcheck.CheckFunc[*Shop]{
		"healthy": healthy,
		"error": func(context.Context, in) (healthcheck.Result, error) {
			return healthcheck.Result{}, errors.New("broken")
		},
		"within": func(context.Context, in) (healthcheck.Result, error) { return progresses(time.Time{}, time.Minute, "") },
		"with a deadline": func(context.Context, in) (healthcheck.Result, error) {
			return progresses(input().Now.Add(time.Minute), 0, "")
		},
		"past it": func(context.Context, in) (healthcheck.Result, error) {
			return progresses(input().Now.Add(-time.Minute), 0, "")
		},
		"in two stages": func(_ context.Context, in in) (healthcheck.Result, error) {
			if in.Current == nil {
				return progresses(input().Now.Add(time.Hour), 0, "")
			}
			return progresses(time.Time{}, time.Minute, "second")
		},
		"by the stored condition": func(_ context.Context, in in) (healthcheck.Result, error) {
			since := in.Now
			if in.Current != nil {
				since = in.Current.LastTransitionTime
			}
			return progresses(since.Add(time.Minute), 0, "")
		},
		"in time": func(_ context.Context, in in) (healthcheck.Result, error) {
			if in.Now.After(input().Now) {
				return says("late")
			}
			return healthcheck.Result{Status: healthcheck.True, Reason: "Early"}, nil
		},
	} {
		t.Run(name, func(t *testing.T) { healthchecktest.Sound(t, check(good), input()) })
	}
}
