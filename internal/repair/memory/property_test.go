package memory_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/memory"
)

var results = []v1alpha1.AttemptResult{
	"", v1alpha1.ResultSucceeded, v1alpha1.ResultFailed, v1alpha1.ResultTimedOut, v1alpha1.ResultWithdrawn, v1alpha1.ResultNotBegun,
	v1alpha1.ResultImpossible, v1alpha1.ResultAborted, v1alpha1.ResultDenied, v1alpha1.ResultCancelled, v1alpha1.ResultUnneeded,
}

// drawPlan is some of the steps of metal, in their order.
func drawPlan(t *rapid.T) []v1alpha1.RemediationStep {
	var plan []v1alpha1.RemediationStep
	for _, step := range append(metal(), last) {
		if rapid.Bool().Draw(t, step.Name) {
			plan = append(plan, step)
		}
	}
	return plan
}

func drawRecord(t *rapid.T, i int) *v1alpha1.MachineRemediation {
	uids := rapid.SampledFrom([]string{"m", "h", "x"})
	r := ended(fmt.Sprint("r", i), ago(time.Duration(rapid.IntRange(0, 10).Draw(t, "days"))*24*time.Hour), steps(drawPlan(t)...),
		reason(rapid.SampledFrom([]string{"ReadyUnhealthy", "DiskUnhealthy"}).Draw(t, "reason")))
	r.Spec.MachineRef.UID = incident().MachineUID
	if uid := uids.Draw(t, "machine"); uid != "m" {
		machine("x")(r)
	}
	if uid := uids.Draw(t, "host"); uid != "h" {
		host("x")(r)
	}
	if rapid.Bool().Draw(t, "replaced") {
		replacedBy(rapid.SampledFrom([]string{"r0", "r1", "r2", incident().Record}).Draw(t, "by"))(r)
	}
	for range rapid.IntRange(0, 4).Draw(t, "attempts") {
		step := rapid.SampledFrom(append(metal(), last)).Draw(t, "step").Name
		attempt := rapid.SampledFrom([]func(string, v1alpha1.AttemptResult) change{tried, asked, attempted}).Draw(t, "act")
		attempt(step, rapid.SampledFrom(results).Draw(t, "result"))(r)
	}
	return r
}

func drawRecords(t *rapid.T) records {
	var all records
	for i := range rapid.IntRange(0, 4).Draw(t, "records") {
		all = append(all, drawRecord(t, i))
	}
	return all
}

// TestStartAtProperties: what is remembered was tried, whatever the order of the records; what has tried nothing, or is
// forgotten, changes nothing.
func TestStartAtProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan, all := drawPlan(t), drawRecords(t)
		got := memory.StartAt(plan, all, incident(), week, now)
		if got != nil {
			if got.Reason == "" {
				t.Fatal("no reason is given")
			}
			before := len(plan) - 1
			if got.Step != "" {
				before = slices.IndexFunc(plan, func(s v1alpha1.RemediationStep) bool { return s.Name == got.Step }) - 1
			}
			if before < 0 || !anyTried(all, plan[before]) {
				t.Fatalf("begins at %q, and the step before was not tried", got.Step)
			}
		}
		more := slices.Clone(all)
		more = append(more, ended("w", ago(0), attempted("wait", v1alpha1.ResultFailed), tried("evidence", v1alpha1.ResultSucceeded)),
			ended("old", ago(8*24*time.Hour), tried("replace", v1alpha1.ResultFailed)))
		slices.Reverse(more)
		if diff := cmp.Diff(got, memory.StartAt(plan, more, incident(), week, now)); diff != "" {
			t.Errorf("records that tried nothing or are forgotten, in another order (-without +with):\n%s", diff)
		}
	})
}

func anyTried(all records, step v1alpha1.RemediationStep) bool {
	for _, r := range all {
		for _, attempt := range r.Status.Attempts {
			if attempt.Begun() && attempt.Step == step.Name {
				return true
			}
		}
	}
	return false
}

// TestRelapsesEnd: however often a machine relapses within the window, and whatever a plan tries each time, it is with a person
// after as many records as the plan has steps.
func TestRelapsesEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan := drawPlan(t)
		var all records
		at := now.Add(-time.Hour)
		for range len(plan) + 1 {
			start := memory.StartAt(plan, all, incident(), week, now)
			from := 0
			if start != nil {
				from = slices.IndexFunc(plan, func(s v1alpha1.RemediationStep) bool { return s.Name == start.Step })
			}
			if from < 0 || len(plan) == 0 || plan[from].Action == v1alpha1.ActionHold {
				return
			}
			r := ended(fmt.Sprint(len(all)), ago(now.Sub(at)), steps(plan...))
			for _, step := range plan[from:] {
				if step.Action == v1alpha1.ActionHold {
					break
				}
				tried(step.Name, v1alpha1.ResultFailed)(r)
				if repair := step.DoneWhen != v1alpha1.DoneWhenRequestSucceeded && step.Action != v1alpha1.ActionWait; repair && rapid.Bool().Draw(t, "helps") {
					break
				}
			}
			if !memory.Tried(r) {
				return // nothing but time was needed: there is nothing to escalate
			}
			all, at = append(all, r), at.Add(time.Minute)
		}
		t.Fatalf("after %d relapses the plan still begins: %v", len(all), plan)
	})
}

// TestLaterProperties: later is one of the two, and never earlier than either.
func TestLaterProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan := metal()
		draw := func(label string) *v1alpha1.RemediationStart {
			i := rapid.IntRange(-1, len(plan)).Draw(t, label)
			switch {
			case i < 0:
				return nil
			case i == len(plan):
				return at("", label)
			}
			return at(plan[i].Name, label)
		}
		a, b := draw("a"), draw("b")
		got := memory.Later(a, b, plan)
		if got != a && got != b {
			t.Fatalf("got %v, neither of %v and %v", got, a, b)
		}
		if other := memory.Later(b, a, plan); (got == nil) != (other == nil) || (got != nil && got.Step != other.Step) {
			t.Errorf("the order matters: %v, %v", got, other)
		}
		if again := memory.Later(got, a, plan); again != got && (a == nil || again.Step != got.Step) {
			t.Errorf("%v is later than the later one %v", a, got)
		}
	})
}
