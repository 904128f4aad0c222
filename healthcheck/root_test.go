package healthcheck_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// rootHarness has Healthy, Stored, the negative Degraded, and Ready, which sums them up.
type rootHarness struct {
	*harness
	stored, degraded healthcheck.Result
	// apply are the answers of the prechecks of Stored and Degraded.
	apply map[string]healthcheck.Applicability
	runs  atomic.Int32
}

func newRootHarness(t *testing.T) *rootHarness {
	t.Helper()
	fine := result(healthcheck.True, "Fine", "")
	f := &rootHarness{harness: newHarness(t, fine), stored: fine, degraded: fine, apply: map[string]healthcheck.Applicability{}}
	add := func(conditionType string, answer *healthcheck.Result) {
		c := healthcheck.NewCondition(conditionType, healthcheck.NewCheck("answer", func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) {
			f.runs.Add(1)
			return *answer, nil
		}))
		c.Prechecks = []healthcheck.Precheck[*Widget]{func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Applicability, error) {
			return f.apply[conditionType], nil
		}}
		c.Negative = conditionType == "Degraded"
		f.Conditions = append(f.Conditions, c)
	}
	add("Stored", &f.stored)
	add("Degraded", &f.degraded)
	f.Root = healthcheck.Root{Type: "Ready"}
	f.Progress = healthcheck.AnnotationProgress[*Widget]{Client: f.env.Client, Name: f.Name}
	return f
}

// ready returns the stored root condition: "False Broken Healthy: disk is full".
func (f *rootHarness) ready(t *testing.T) string {
	t.Helper()
	f.reconcile(t)
	for _, c := range f.harness.stored(t).Status.Conditions {
		if c.Type == "Ready" {
			return strings.TrimSpace(string(c.Status) + " " + c.Reason + " " + c.Message)
		}
	}
	return ""
}

// TestRoot sums up what the other conditions say.
func TestRoot(t *testing.T) {
	broken := result(healthcheck.False, "Broken", "disk is full")
	for name, tt := range map[string]struct {
		change func(f *rootHarness)
		want   string
	}{
		"all is well":        {func(*rootHarness) {}, "True Fine"},
		"one is broken":      {func(f *rootHarness) { f.stored = broken }, "False Broken Stored: disk is full"},
		"two are":            {func(f *rootHarness) { f.stored, f.result = broken, broken }, "False Broken Healthy: disk is full; Stored: disk is full"},
		"one is degraded":    {func(f *rootHarness) { f.degraded = broken }, "False Broken Degraded: disk is full"},
		"one has no words":   {func(f *rootHarness) { f.stored = result(healthcheck.False, "Broken", "") }, "False Broken Stored: Broken"},
		"one cannot be told": {func(f *rootHarness) { f.err = errors.New("no answer") }, "Unknown CheckFailed Healthy: check answer: no answer"},
		"one progresses": {func(f *rootHarness) {
			f.stored = withDeadline(result(healthcheck.Progressing, "RollingOut", "2 of 3"), in(time.Minute))
		}, "Unknown RollingOut Stored: 2 of 3"},
		"one does not apply":     {func(f *rootHarness) { f.stored, f.apply["Stored"] = broken, healthcheck.DoesNotApply }, "True Fine"},
		"one is skipped":         {func(f *rootHarness) { f.stored.Status = healthcheck.Skipped }, "True Fine"},
		"one was never there":    {func(f *rootHarness) { f.stored, f.apply["Stored"] = broken, healthcheck.LeaveAlone }, "True Fine"},
		"it is not about one":    {func(f *rootHarness) { f.stored, f.Root.Of = broken, []string{"Degraded", "Healthy"} }, "True Fine"},
		"it is about that alone": {func(f *rootHarness) { f.stored, f.Root.Of = broken, []string{"Stored"} }, "False Broken Stored: disk is full"},
		"in words of its own": {func(f *rootHarness) {
			f.stored = broken
			f.Root.Summary = func(results []healthcheck.NamedResult, merged healthcheck.Result) string {
				return string(merged.Status) + " by " + results[1].Name + ": " + results[1].Message
			}
		}, "False Broken False by Stored: disk is full"},
		"in words that are not to be had": {func(f *rootHarness) {
			f.Root.Summary = func([]healthcheck.NamedResult, healthcheck.Result) string { panic("oh dear") }
		}, "Unknown CheckPanicked making condition Ready panicked: oh dear"},
		"nothing applies": {func(f *rootHarness) {
			f.applicability, f.apply["Stored"], f.apply["Degraded"] = healthcheck.DoesNotApply, healthcheck.DoesNotApply, healthcheck.DoesNotApply
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newRootHarness(t)
			tt.change(f)
			_, _ = f.Reconcile(t.Context(), f.request())
			got := ""
			for _, c := range f.harness.stored(t).Status.Conditions {
				if c.Type == "Ready" {
					got = strings.TrimSpace(string(c.Status) + " " + c.Reason + " " + c.Message)
				}
			}
			if got != tt.want {
				t.Errorf("it is %q, want %q", got, tt.want)
			}
		})
	}
}

// TestRootIsOneLook: each check runs once, and all conditions are written together.
func TestRootIsOneLook(t *testing.T) {
	f := newRootHarness(t)
	before := f.harness.stored(t)
	f.reconcile(t)
	if runs := f.runs.Load(); runs != 2 {
		t.Errorf("two checks have run %d times", runs)
	}
	after := f.harness.stored(t)
	if diff := cmp.Diff([]string{"Degraded", "Healthy", "Ready", "Stored"}, types(after)); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	if entries := len(after.ManagedFields) - len(before.ManagedFields); entries != 1 {
		t.Errorf("%d managers have come, want one", entries)
	}
	f.reconcile(t)
	if got := f.harness.stored(t).ResourceVersion; got != after.ResourceVersion {
		t.Errorf("resourceVersion went from %s to %s, want no write", after.ResourceVersion, got)
	}
	if last := f.transitions[len(f.transitions)-1]; last.To.Type != "Ready" || len(f.transitions) != 4 {
		t.Errorf("transitions are %+v", f.transitions)
	}
}

// TestRootAtTheDeadline: the root changes when a condition that it sums up does.
func TestRootAtTheDeadline(t *testing.T) {
	f := newRootHarness(t)
	f.stored = withDeadline(result(healthcheck.Progressing, "RollingOut", "2 of 3"), in(time.Minute))
	if again := f.reconcile(t).RequeueAfter; again != time.Minute {
		t.Errorf("it is looked at after %s", again)
	}
	f.clock.SetTime(in(time.Minute))
	if got := f.ready(t); got != "False DeadlineExceeded Stored: 2 of 3" {
		t.Errorf("it is %q", got)
	}
}

// TestRootOfWhatIsStored: conditions that are left alone or damped count as they are stored.
func TestRootOfWhatIsStored(t *testing.T) {
	f := newRootHarness(t)
	f.Conditions[1].Damping = healthcheck.Damping{Failures: 2}
	f.stored = result(healthcheck.True, "Fine", "")
	f.degraded = result(healthcheck.False, "Broken", "disk is full")
	if got := f.ready(t); got != "False Broken Degraded: disk is full" {
		t.Fatalf("at first it is %q", got)
	}
	f.degraded, f.apply["Degraded"] = result(healthcheck.True, "Fine", ""), healthcheck.LeaveAlone
	if got := f.ready(t); got != "False Broken Degraded: disk is full" {
		t.Errorf("with one left alone it is %q", got)
	}
	f.apply["Degraded"] = healthcheck.Applies
	f.resize(t)
	f.stored = result(healthcheck.False, "Full", "")
	if got := f.ready(t); got != "True Fine" {
		t.Errorf("with one damped it is %q", got)
	}
	for _, c := range f.harness.stored(t).Status.Conditions {
		if want := map[string]int64{"Healthy": 2, "Degraded": 2, "Stored": 1, "Ready": 1}[c.Type]; c.ObservedGeneration != want {
			t.Errorf("%s is about generation %d, want %d", c.Type, c.ObservedGeneration, want)
		}
	}
}

// resize changes the spec, and so the generation.
func (f *rootHarness) resize(t *testing.T) {
	t.Helper()
	widget := f.harness.stored(t)
	widget.Spec.Size++
	if err := f.env.Client.Update(t.Context(), widget); err != nil {
		t.Fatal(err)
	}
}

// TestRootIsLeftAlone: the root is left alone if all conditions that it sums up are.
func TestRootIsLeftAlone(t *testing.T) {
	f := newRootHarness(t)
	f.reconcile(t)
	before := f.harness.stored(t)
	f.result, f.stored = result(healthcheck.False, "Broken", ""), result(healthcheck.False, "Broken", "")
	f.applicability, f.apply["Stored"], f.apply["Degraded"] = healthcheck.LeaveAlone, healthcheck.LeaveAlone, healthcheck.LeaveAlone
	f.resize(t)
	f.reconcile(t)
	if diff := cmp.Diff(before.Status.Conditions, f.harness.stored(t).Status.Conditions); diff != "" {
		t.Errorf("conditions (-before +after):\n%s", diff)
	}
	f.applicability, f.apply["Stored"], f.apply["Degraded"] = healthcheck.DoesNotApply, healthcheck.DoesNotApply, healthcheck.DoesNotApply
	f.reconcile(t)
	if got := f.harness.stored(t).Status.Conditions; len(got) != 0 {
		t.Errorf("conditions are %+v, want none", got)
	}
}

// TestRootIsNotPruned: the root is registered, too. A former root is not, and is removed.
func TestRootIsNotPruned(t *testing.T) {
	f := newRootHarness(t)
	f.reconcile(t)
	f.Root.Type = "Usable"
	f.reconcile(t)
	if diff := cmp.Diff([]string{"Degraded", "Healthy", "Stored", "Usable"}, types(f.harness.stored(t))); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
}

// TestRootElsewhere: if a store keeps Progressing, the deadline of a condition that is left alone is unknown.
func TestRootElsewhere(t *testing.T) {
	f := newRootHarness(t)
	f.Store = findingStore{f.env.Client}
	f.stored = withDeadline(result(healthcheck.Progressing, "RollingOut", "2 of 3"), in(time.Minute))
	f.reconcile(t)
	want := Finding{"Ready", "Progressing", "RollingOut", "Stored: 2 of 3", nil, metav1.NewTime(now)}
	findings := f.harness.stored(t).Status.Findings
	if diff := cmp.Diff(want, findings[len(findings)-1]); diff != "" {
		t.Errorf("root (-want +got):\n%s", diff)
	}
	f.apply["Stored"] = healthcheck.LeaveAlone
	f.reconcile(t)
	want.State = "Unknown"
	findings = f.harness.stored(t).Status.Findings
	if diff := cmp.Diff(want, findings[len(findings)-1]); diff != "" {
		t.Errorf("root of what is left alone (-want +got):\n%s", diff)
	}
}

func TestValidateRoot(t *testing.T) {
	for name, tt := range map[string]struct {
		root healthcheck.Root
		want string
	}{
		"one that is there already": {healthcheck.Root{Type: "Healthy"}, `registration "bare": the root condition has type "Healthy", which another condition already has`},
		"of itself":                 {healthcheck.Root{Type: "Ready", Of: []string{"Ready"}}, `registration "bare": the root condition "Ready" sums up "Ready", which is not registered`},
		"of one twice":              {healthcheck.Root{Type: "Ready", Of: []string{"Healthy", "Healthy"}}, `registration "bare": the root condition "Ready" sums up "Healthy" twice`},
		"without a type":            {healthcheck.Root{Of: []string{"Healthy"}}, `registration "bare": the root condition has no type`},
		"complete":                  {healthcheck.Root{Type: "Ready", Of: []string{"Healthy"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			registration := bare[*Widget](result(healthcheck.True, "Fine", ""))
			registration.Root = tt.root
			got := ""
			if err := registration.Validate(); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("error is %q, want %q", got, tt.want)
			}
		})
	}
}

// TestRootOfWhatIsNotKnown: a condition without any verdict yet does not count as healthy. A known failure is still reported.
func TestRootOfWhatIsNotKnown(t *testing.T) {
	broken := errors.New("broken")
	undecided := condition("Other", says(result(healthcheck.True, "Fine", ""), nil))
	undecided.WhileUndecided = healthcheck.LeaveAlone
	undecided.Prechecks = []healthcheck.Precheck[*Widget]{func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Applicability, error) {
		return 0, broken
	}}
	for name, other := range map[string]healthcheck.ConditionChecks[*Widget]{
		"later": condition("Other", says(healthcheck.Result{}, &healthcheck.LaterError{})), "undecided": undecided,
	} {
		for status, want := range map[healthcheck.Status]healthcheck.Status{
			healthcheck.True: "", healthcheck.Unknown: healthcheck.Unknown, healthcheck.False: healthcheck.False, healthcheck.Skipped: "",
		} {
			t.Run(name+" beside "+string(status), func(t *testing.T) {
				f := inMemory(t, condition("Told", says(result(status, "Found", ""), nil)), other)
				f.Root = healthcheck.Root{Type: "Ready"}
				_, _ = f.Reconcile(t.Context(), f.request())
				if got := f.kept()["Ready"]; got != want {
					t.Errorf("it is %q, want %q", got, want)
				}
			})
		}
	}
}
