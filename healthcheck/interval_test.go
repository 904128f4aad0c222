package healthcheck_test

import (
	"context"
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/healthchecktest"
)

// probe is a check with an interval that counts its runs.
type probe struct {
	answer func(now time.Time) (healthcheck.Result, error)
	runs   int
}

func (p *probe) Check(_ context.Context, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
	p.runs++
	return p.answer(in.Now)
}

// every returns a condition with the probe.
func (p *probe) every(interval time.Duration) healthcheck.ConditionChecks[*Widget] {
	return healthcheck.NewCondition("Probed", healthcheck.NamedCheck[*Widget]{Name: "probe", Check: p, Interval: interval})
}

// probing returns a probe that always gives the same answer.
func probing(r healthcheck.Result) *probe {
	return &probe{answer: func(time.Time) (healthcheck.Result, error) { return r, nil }}
}

// TestIntervalBesideAnError: a failing check is retried again and again, but the probe beside it does not run again.
func TestIntervalBesideAnError(t *testing.T) {
	for name, together := range map[string]bool{"in one condition": true, "in two": false} {
		t.Run(name, func(t *testing.T) {
			p := probing(result(healthcheck.True, "Fine", ""))
			failing, tries := errors.New("broken"), 0
			err := healthcheck.NewCheck("errs", func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) {
				tries++
				return healthcheck.Result{}, failing
			})
			conditions := []healthcheck.ConditionChecks[*Widget]{p.every(time.Minute)}
			if together {
				conditions[0].Checks = append(conditions[0].Checks, err)
			} else {
				conditions = append(conditions, healthcheck.NewCondition("Erring", err))
			}
			kit := healthchecktest.New(t, healthcheck.Registration[*Widget]{
				Name: "widgets", New: func() *Widget { return &Widget{} }, Conditions: conditions,
			}, &Widget{ObjectMeta: metav1.ObjectMeta{Name: "w", Generation: 1}})
			kit.Advance(10 * time.Minute)
			if p.runs < 10 || p.runs > 11 {
				t.Errorf("the probe was run %d times in 10 minutes", p.runs)
			}
			if tries < 15 {
				t.Errorf("the other check was tried %d times", tries)
			}
		})
	}
}

// TestIntervalIsNoPeriod: the sync period, whether shorter, longer or never, does not change how often a check with an interval runs.
func TestIntervalIsNoPeriod(t *testing.T) {
	for _, period := range []time.Duration{0, 20 * time.Second, 5 * time.Minute, healthcheck.Never} {
		p := probing(result(healthcheck.True, "Fine", ""))
		kit := healthchecktest.New(t, healthcheck.Registration[*Widget]{
			Name: "widgets", SyncPeriod: period, Conditions: []healthcheck.ConditionChecks[*Widget]{p.every(time.Minute)},
		}, &Widget{ObjectMeta: metav1.ObjectMeta{Name: "w", Generation: 1}})
		kit.Run()
		p.runs = 0
		kit.Advance(15 * time.Minute)
		if p.runs != 15 {
			t.Errorf("with the period %s it ran %d times in 15 minutes, want 15", period, p.runs)
		}
	}
}

// TestIntervalEnds: a result is reused until the interval ends, or until a time in the result itself.
func TestIntervalEnds(t *testing.T) {
	progressing := result(healthcheck.Progressing, "RollingOut", "")
	within := progressing
	within.Within = 20 * time.Second
	recheck := func(at time.Time) healthcheck.Result {
		return healthcheck.Result{Status: healthcheck.True, Reason: "Fine", RecheckAt: at}
	}
	const never = time.Duration(0)
	tests := map[string]struct {
		result healthcheck.Result
		ends   time.Duration
		status healthcheck.Status
	}{
		"healthy":             {result(healthcheck.True, "Fine", ""), time.Minute, healthcheck.True},
		"not healthy":         {result(healthcheck.False, "Broken", ""), time.Minute, healthcheck.False},
		"skipped":             {result(healthcheck.Skipped, "NotHere", ""), time.Minute, ""},
		"a recheck before":    {recheck(in(20 * time.Second)), 20 * time.Second, healthcheck.True},
		"a recheck after":     {recheck(in(time.Hour)), time.Minute, healthcheck.True},
		"a recheck in past":   {recheck(in(-time.Hour)), time.Minute, healthcheck.True},
		"a deadline":          {withDeadline(progressing, in(20*time.Second)), 20 * time.Second, healthcheck.Progressing},
		"a deadline in past":  {withDeadline(progressing, in(-time.Second)), time.Minute, healthcheck.False},
		"time for a progress": {within, 20 * time.Second, healthcheck.Progressing},
		"no result at all":    {healthcheck.Result{}, never, healthcheck.Unknown},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := probing(tt.result)
			c := p.every(time.Minute)
			f := inMemory(t, c)
			f.MinInterval = time.Millisecond
			look := func(at time.Duration, runs int, again time.Duration) {
				t.Helper()
				f.clock.SetTime(in(at))
				got := f.reconcile(t).RequeueAfter
				if p.runs != runs {
					t.Errorf("after %s it was run %d times, want %d", at, p.runs, runs)
				}
				if again > 0 && got != again {
					t.Errorf("after %s it is looked at again after %s, want %s", at, got, again)
				}
			}
			if tt.ends == never {
				look(0, 1, time.Minute)
				look(time.Second, 2, time.Minute)
				return
			}
			look(0, 1, tt.ends)
			if got := f.kept()["Probed"]; got != tt.status {
				t.Errorf("it is %q, want %q", got, tt.status)
			}
			look(time.Second, 1, tt.ends-time.Second)
			look(tt.ends-time.Millisecond, 1, time.Millisecond)
			look(tt.ends, 2, 0)
		})
	}
}

// TestIntervalOfAnotherObject: a result is about one state of an object.
func TestIntervalOfAnotherObject(t *testing.T) {
	tests := map[string]struct {
		before, change func(*Widget)
		again          bool
	}{
		"nothing":                    {nil, func(*Widget) {}, false},
		"the status":                 {nil, func(w *Widget) { w.Status.Conditions = []metav1.Condition{foreign("Foreign")} }, false},
		"the generation":             {nil, func(w *Widget) { w.Generation++ }, true},
		"a label":                    {nil, func(w *Widget) { w.Labels = map[string]string{"a": "b"} }, true},
		"an annotation":              {nil, func(w *Widget) { w.Annotations = map[string]string{"a": "b"} }, true},
		"a clock":                    {nil, func(w *Widget) { w.Annotations = map[string]string{healthcheck.ProgressAnnotation + "w": "{}"} }, false},
		"a label instead of another": {func(w *Widget) { w.Labels = map[string]string{"a": "b", "c": "d"} }, func(w *Widget) { w.Labels = map[string]string{"a": "d", "c": "b"} }, true},
		"another object":             {nil, func(w *Widget) { w.UID = "5678" }, true},
		"without a generation":       {func(w *Widget) { w.Generation = 0 }, func(*Widget) {}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := probing(result(healthcheck.True, "Fine", ""))
			f := inMemory(t, p.every(time.Minute))
			edit := func(change func(*Widget)) {
				widget := f.stored(t)
				change(widget)
				if err := f.writer.Update(t.Context(), widget); err != nil {
					t.Fatal(err)
				}
			}
			if tt.before != nil {
				edit(tt.before)
			}
			f.reconcile(t)
			f.reconcile(t)
			if p.runs != 1 {
				t.Errorf("it was run %d times, and nothing has changed", p.runs)
			}
			edit(tt.change)
			f.reconcile(t)
			if again := p.runs == 2; again != tt.again {
				t.Errorf("it was run again: %t", again)
			}
		})
	}
}

// TestIntervalIsOfTheCheck: an object that was deleted and created again is a new one, and Evaluate runs all checks.
func TestIntervalIsOfTheCheck(t *testing.T) {
	p := probing(result(healthcheck.True, "Fine", ""))
	f := inMemory(t, p.every(time.Minute))
	f.reconcile(t)
	if evaluation, err := f.Evaluate(t.Context(), f.stored(t)); err != nil || p.runs != 2 || !evaluation.RecheckAt.Equal(in(time.Minute)) {
		t.Errorf("%d runs, %+v, error %v", p.runs, evaluation, err)
	}
	f.reconcile(t)
	if p.runs != 2 {
		t.Errorf("it was run %d times", p.runs)
	}
	widget := f.stored(t)
	if err := f.writer.Delete(t.Context(), widget); err != nil {
		t.Fatal(err)
	}
	f.reconcile(t)
	widget.ResourceVersion = ""
	if err := f.writer.Create(t.Context(), widget); err != nil {
		t.Fatal(err)
	}
	f.reconcile(t)
	if p.runs != 3 {
		t.Errorf("it was run %d times, and it is another object", p.runs)
	}
}

// TestIntervalKeepsNoErrors: a failed check runs again; meanwhile the results of the others are kept.
func TestIntervalKeepsNoErrors(t *testing.T) {
	for name, err := range map[string]error{"an error": errors.New("broken"), "later": &healthcheck.LaterError{}} {
		t.Run(name, func(t *testing.T) {
			p := probing(result(healthcheck.True, "Fine", ""))
			sick := &probe{answer: func(time.Time) (healthcheck.Result, error) { return healthcheck.Result{}, err }}
			c := p.every(time.Minute)
			c.Checks = append(c.Checks, healthcheck.NamedCheck[*Widget]{Name: "sick", Check: sick, Interval: time.Minute})
			f := inMemory(t, c)
			for range 5 {
				_, _ = f.Reconcile(t.Context(), f.request())
			}
			if p.runs != 1 || sick.runs != 5 {
				t.Errorf("it was run %d times, and what errs %d times", p.runs, sick.runs)
			}
		})
	}
}

// TestIntervalWhileLeftAlone: results survive while a condition is left alone.
func TestIntervalWhileLeftAlone(t *testing.T) {
	for name, tt := range map[string]struct {
		answer healthcheck.Applicability
		runs   int
	}{"left alone": {healthcheck.LeaveAlone, 1}, "removed": {healthcheck.DoesNotApply, 2}} {
		t.Run(name, func(t *testing.T) {
			p := probing(result(healthcheck.True, "Fine", ""))
			answer := healthcheck.Applies
			c := p.every(time.Minute)
			c.Prechecks = []healthcheck.Precheck[*Widget]{func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Applicability, error) {
				return answer, nil
			}}
			f := inMemory(t, c)
			for _, answer = range []healthcheck.Applicability{healthcheck.Applies, tt.answer, healthcheck.Applies} {
				f.reconcile(t)
			}
			if p.runs != tt.runs {
				t.Errorf("it was run %d times, want %d", p.runs, tt.runs)
			}
		})
	}
}

// TestIntervalAndDamping: a reused result is not a new finding. While findings are counted, the check runs for each.
func TestIntervalAndDamping(t *testing.T) {
	status := healthcheck.True
	p := &probe{answer: func(time.Time) (healthcheck.Result, error) {
		return healthcheck.Result{Status: status, Reason: "Found"}, nil
	}}
	bystander := probing(result(healthcheck.True, "Fine", ""))
	c := p.every(time.Minute)
	c.Damping = healthcheck.Damping{Failures: 3}
	c.Checks = append(c.Checks, healthcheck.NamedCheck[*Widget]{Name: "bystander", Check: bystander, Interval: time.Minute})
	f := inMemory(t, c)
	f.reconcile(t)
	status = healthcheck.False
	for i, tt := range []struct {
		at   time.Duration
		runs int
		want healthcheck.Status
	}{
		{59 * time.Second, 1, healthcheck.True}, {60 * time.Second, 2, healthcheck.True}, {65 * time.Second, 2, healthcheck.True},
		{70 * time.Second, 3, healthcheck.True}, {75 * time.Second, 3, healthcheck.True}, {80 * time.Second, 4, healthcheck.False},
		{139 * time.Second, 4, healthcheck.False}, {140 * time.Second, 5, healthcheck.False},
	} {
		f.clock.SetTime(in(tt.at))
		f.reconcile(t)
		if got := f.kept()["Probed"]; got != tt.want || p.runs != tt.runs {
			t.Errorf("look %d: it is %s after %d runs, want %s after %d", i, got, p.runs, tt.want, tt.runs)
		}
	}
	if bystander.runs != 3 {
		t.Errorf("the other check was run %d times, want each minute", bystander.runs)
	}
}

// TestIntervalAndDampingOfAConclusion: it is unknown which results a conclusion depends on. Still, one answer is one finding.
func TestIntervalAndDampingOfAConclusion(t *testing.T) {
	status := healthcheck.True
	p := &probe{answer: func(time.Time) (healthcheck.Result, error) {
		return healthcheck.Result{Status: status, Reason: "Found"}, nil
	}}
	c := p.every(time.Minute)
	c.Damping = healthcheck.Damping{Failures: 3}
	c.Conclude = func(found healthcheck.Findings) healthcheck.Result {
		if found.Merged.Status == healthcheck.Unknown {
			found.Merged.Status = healthcheck.False
		}
		return found.Merged
	}
	f := inMemory(t, c)
	f.reconcile(t)
	status = healthcheck.Unknown
	for _, at := range []time.Duration{60, 70, 80} {
		f.clock.SetTime(in(at * time.Second))
		f.reconcile(t)
	}
	if got := f.kept()["Probed"]; got != healthcheck.False || p.runs != 4 {
		t.Errorf("it is %s after %d runs, want three findings for it", got, p.runs)
	}
}

// TestDampingAsksKeptChecks: the replicas recover while the answer of the endpoint is kept. Each finding that Damping counts needs a new answer
// of the endpoint, which is down by then.
func TestDampingAsksKeptChecks(t *testing.T) {
	replicas, endpoint := healthcheck.False, healthcheck.True
	p := &probe{answer: func(time.Time) (healthcheck.Result, error) {
		return healthcheck.Result{Status: endpoint, Reason: "Endpoint"}, nil
	}}
	c := p.every(time.Minute)
	c.Damping = healthcheck.Damping{Successes: 3}
	c.Checks = append(c.Checks, condition("", func() (healthcheck.Result, error) {
		return healthcheck.Result{Status: replicas, Reason: "Replicas"}, nil
	}).Checks...)
	f := inMemory(t, c)
	f.reconcile(t)
	replicas = healthcheck.True
	f.clock.SetTime(in(5 * time.Second))
	f.reconcile(t)
	endpoint = healthcheck.False
	for _, at := range []time.Duration{15, 25} {
		f.clock.SetTime(in(at * time.Second))
		f.reconcile(t)
	}
	if got := f.kept()["Probed"]; got != healthcheck.False || p.runs == 1 {
		t.Errorf("it is %s after %d run of the endpoint's check", got, p.runs)
	}
}
