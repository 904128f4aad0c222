package memory_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
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
	machines := rapid.SampledFrom([]types.UID{"m", "x", "y"})
	hosts := rapid.SampledFrom([]types.UID{"h", "x"})
	r := ended(fmt.Sprint("r", i), ago(time.Duration(rapid.IntRange(0, 10).Draw(t, "days"))*24*time.Hour), steps(drawPlan(t)...),
		reason(rapid.SampledFrom([]string{"ReadyUnhealthy", "DiskUnhealthy"}).Draw(t, "reason")))
	machine(machines.Draw(t, "machine"))(r)
	host(hosts.Draw(t, "host"))(r)
	if rapid.Bool().Draw(t, "replaced") {
		replacedBy(rapid.SampledFrom([]types.UID{"x", "y", "m"}).Draw(t, "by"))(r)
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
