package gardener_test

import (
	"testing"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
)

// The rows say what becomes of Progressing, depending on the existing condition.
func TestProgressingAsGardener(t *testing.T) {
	const threshold = time.Minute
	none := gardencorev1beta1.ConditionStatus("")
	rows := map[string]struct {
		old   gardencorev1beta1.ConditionStatus
		age   time.Duration
		check gardener.HealthCheck
		want  gardencorev1beta1.ConditionStatus
	}{
		"absent":                   {none, 0, progresses(threshold, "rolling"), statusProgressing},
		"true, new":                {statusTrue, 0, progresses(threshold, "rolling"), statusProgressing},
		"true, old":                {statusTrue, 24 * time.Hour, progresses(threshold, "rolling"), statusProgressing},
		"progressing, in time":     {statusProgressing, threshold, progresses(threshold, "rolling"), statusProgressing},
		"progressing, too long":    {statusProgressing, threshold + time.Second, progresses(threshold, "rolling"), statusFalse},
		"unknown, in time":         {statusUnknown, threshold, progresses(threshold, "rolling"), statusProgressing},
		"unknown, too long":        {statusUnknown, threshold + time.Second, progresses(threshold, "rolling"), statusFalse},
		"false, new":               {statusFalse, 0, progresses(threshold, "rolling"), statusFalse},
		"false, old":               {statusFalse, 24 * time.Hour, progresses(threshold, "rolling"), statusFalse},
		"no threshold, absent":     {none, 0, answers(statusProgressing, "rolling"), statusFalse},
		"no threshold, true":       {statusTrue, 0, answers(statusProgressing, "rolling"), statusFalse},
		"no threshold, in process": {statusProgressing, 0, answers(statusProgressing, "rolling"), statusFalse},
	}
	reasons := map[gardencorev1beta1.ConditionStatus]string{
		statusProgressing: gardener.ReasonProgressing, statusFalse: gardener.ReasonUnsuccessful,
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t, row.check)
			if row.old != none {
				f.store(t, gardencorev1beta1.Condition{
					Type: gardencorev1beta1.ShootEveryNodeReady, Status: row.old, Reason: "Old", Message: "old.",
					LastTransitionTime: ago(row.age), LastUpdateTime: ago(row.age),
				})
			}
			f.mustReconcile(t)
			stored := f.condition(t, everyNodeReady)
			want := verdict{row.want, reasons[row.want], "rolling.", nil}
			if diff := cmp.Diff(want, verdictOf(stored)); diff != "" {
				t.Error(diff)
			}
			since := ago(row.age)
			if row.old != row.want {
				since = ago(0)
			}
			if !stored.LastTransitionTime.Equal(&since) {
				t.Errorf("it is so since %s, want %s", stored.LastTransitionTime, since)
			}
		})
	}
}

// A progress without a threshold uses that of another.
func TestThresholdOfAnother(t *testing.T) {
	f := newHarness(t, answers(statusProgressing, "scaling"), progresses(time.Minute, "rolling"))
	f.mustReconcile(t)
	want := verdict{statusProgressing, gardener.ReasonProgressing, "1) scaling. 2) rolling.", nil}
	if diff := cmp.Diff(want, verdictOf(f.condition(t, everyNodeReady))); diff != "" {
		t.Error(diff)
	}
	f.Rules = gardener.BestRules
	f.mustReconcile(t)
	if got := f.condition(t, everyNodeReady).Status; got != statusFalse {
		t.Errorf("by the best rules it is %s", got)
	}
}

// The smallest threshold counts.
func TestSmallestThresholdCounts(t *testing.T) {
	f := newHarness(t, progresses(time.Hour, "scaling"), progresses(time.Minute, "rolling"))
	result := f.mustReconcile(t)
	if result.RequeueAfter > 33*time.Second {
		t.Errorf("it is looked at after %s", result.RequeueAfter)
	}
	f.clock.SetTime(now.Add(time.Minute + time.Second))
	f.mustReconcile(t)
	if got := f.condition(t, everyNodeReady).Status; got != statusFalse {
		t.Errorf("it is %s after the smallest threshold", got)
	}
}

// TestNoHurryWithoutAThreshold: a check that progresses without a threshold, or with another one, is asked again after the period or
// when the condition changes, also beside others.
func TestNoHurryWithoutAThreshold(t *testing.T) {
	for name, check := range map[string]gardener.HealthCheck{
		"without a threshold": answers(statusProgressing, "rolling"), "within a second": progresses(time.Second, "rolling"),
	} {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, check, progresses(20*time.Second, "scaling"))
			f.store(t, gardencorev1beta1.Condition{Type: gardencorev1beta1.ShootEveryNodeReady, Status: statusFalse, LastTransitionTime: ago(time.Hour), LastUpdateTime: ago(time.Hour)})
			if again := f.mustReconcile(t).RequeueAfter; again < 30*time.Second {
				t.Errorf("it is looked at again after %s", again)
			}
		})
	}
}
