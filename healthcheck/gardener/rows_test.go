package gardener_test

import (
	"errors"
	"testing"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
)

const (
	statusTrue        = gardencorev1beta1.ConditionTrue
	statusFalse       = gardencorev1beta1.ConditionFalse
	statusUnknown     = gardencorev1beta1.ConditionUnknown
	statusProgressing = gardencorev1beta1.ConditionProgressing

	quota  = gardencorev1beta1.ErrorInfraQuotaExceeded
	unauth = gardencorev1beta1.ErrorInfraUnauthorized
)

func passes() gardener.HealthCheck {
	return &scripted{result: &gardener.SingleCheckResult{Status: statusTrue}}
}

func answers(status gardencorev1beta1.ConditionStatus, detail string, codes ...gardencorev1beta1.ErrorCode) gardener.HealthCheck {
	return &scripted{result: &gardener.SingleCheckResult{Status: status, Detail: detail, Codes: codes}}
}

func fails(detail string, codes ...gardencorev1beta1.ErrorCode) gardener.HealthCheck {
	return answers(statusFalse, detail, codes...)
}

func progresses(within time.Duration, detail string, codes ...gardencorev1beta1.ErrorCode) gardener.HealthCheck {
	return &scripted{result: &gardener.SingleCheckResult{Status: statusProgressing, Detail: detail, Codes: codes, ProgressingThreshold: &within}}
}

func errs(text string) gardener.HealthCheck { return &scripted{err: errors.New(text)} }

// verdict is the content of a condition that these tests compare.
type verdict struct {
	Status  gardencorev1beta1.ConditionStatus
	Reason  string
	Message string
	Codes   []gardencorev1beta1.ErrorCode
}

func verdictOf(c gardencorev1beta1.Condition) verdict {
	return verdict{c.Status, c.Reason, c.Message, c.Codes}
}

// The rows say how the results of several checks become one condition.
func TestMergeAsGardener(t *testing.T) {
	rows := map[string]struct {
		checks []gardener.HealthCheck
		want   verdict
	}{
		"all pass": {
			[]gardener.HealthCheck{passes(), passes()},
			verdict{statusTrue, gardener.ReasonSuccessful, "All health checks successful", nil},
		},
		"codes of a pass are dropped": {
			[]gardener.HealthCheck{answers(statusTrue, "", quota)},
			verdict{statusTrue, gardener.ReasonSuccessful, "All health checks successful", nil},
		},
		"one error": {
			[]gardener.HealthCheck{passes(), errs("no route")},
			verdict{statusUnknown, gardener.ReasonCheckError, "failed to execute 1 health check: no route.", nil},
		},
		"two errors": {
			[]gardener.HealthCheck{errs("no route"), errs("no name.")},
			verdict{statusUnknown, gardener.ReasonCheckError, "failed to execute 2 health checks: 1) no route. 2) no name.", nil},
		},
		"an error hides a failure": {
			[]gardener.HealthCheck{fails("bad", quota), errs("no route")},
			verdict{statusUnknown, gardener.ReasonCheckError, "failed to execute 1 health check: Unable to execute check: no route. Failed check: bad.", nil},
		},
		"an error and progress": {
			[]gardener.HealthCheck{progresses(time.Minute, "rolling"), errs("no route")},
			verdict{statusUnknown, gardener.ReasonCheckError, "failed to execute 1 health check: Unable to execute check: no route. Progressing check: rolling.", nil},
		},
		"all kinds of trouble": {
			[]gardener.HealthCheck{progresses(time.Minute, "rolling"), passes(), fails("bad"), errs("no route"), fails("worse")},
			verdict{
				statusUnknown, gardener.ReasonCheckError,
				"failed to execute 1 health check: Unable to execute check: no route. Failed checks: 1) bad. 2) worse. Progressing check: rolling.", nil,
			},
		},
		"one failure": {
			[]gardener.HealthCheck{passes(), fails("bad", quota)},
			verdict{statusFalse, gardener.ReasonUnsuccessful, "bad.", []gardencorev1beta1.ErrorCode{quota}},
		},
		"two failures": {
			[]gardener.HealthCheck{fails("bad", quota), fails("worse.", unauth, quota)},
			verdict{statusFalse, gardener.ReasonUnsuccessful, "1) bad. 2) worse.", []gardencorev1beta1.ErrorCode{quota, unauth}},
		},
		"failure and progress": {
			[]gardener.HealthCheck{progresses(time.Minute, "rolling", unauth), fails("bad", quota)},
			verdict{statusFalse, gardener.ReasonUnsuccessful, "Failed check: bad. Progressing check: rolling.", []gardencorev1beta1.ErrorCode{unauth, quota}},
		},
		"progress": {
			[]gardener.HealthCheck{progresses(time.Minute, "rolling", unauth), passes()},
			verdict{statusProgressing, gardener.ReasonProgressing, "rolling.", []gardencorev1beta1.ErrorCode{unauth}},
		},
		"two that progress": {
			[]gardener.HealthCheck{progresses(time.Minute, "rolling"), progresses(time.Hour, "scaling.")},
			verdict{statusProgressing, gardener.ReasonProgressing, "1) rolling. 2) scaling.", nil},
		},
		"no detail": {
			[]gardener.HealthCheck{fails("")},
			verdict{statusFalse, gardener.ReasonUnsuccessful, ".", nil},
		},
		"Unknown is no pass": {
			[]gardener.HealthCheck{passes(), answers(statusUnknown, "who knows")},
			verdict{statusUnknown, gardener.ReasonCheckError, "failed to execute 1 health check: who knows.", nil},
		},
		"no status is no pass": {
			[]gardener.HealthCheck{answers("", "")},
			verdict{statusUnknown, gardener.ReasonCheckError, `failed to execute 1 health check: a check returned the unknown status "".`, nil},
		},
		"no result is no pass": {
			[]gardener.HealthCheck{&scripted{}},
			verdict{statusUnknown, gardener.ReasonCheckError, "failed to execute 1 health check: the check returned no result.", nil},
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t, row.checks...)
			f.mustReconcile(t)
			if diff := cmp.Diff(row.want, verdictOf(f.condition(t, everyNodeReady))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// UnknownPasses makes an answer without a status a pass, as in Gardener's library.
func TestUnknownPassesOnRequest(t *testing.T) {
	f := newHarness(t, answers(statusUnknown, "who knows"), answers("", ""))
	f.UnknownPasses = true
	f.mustReconcile(t)
	want := verdict{statusTrue, gardener.ReasonSuccessful, "All health checks successful", nil}
	if diff := cmp.Diff(want, verdictOf(f.condition(t, everyNodeReady))); diff != "" {
		t.Error(diff)
	}
}
