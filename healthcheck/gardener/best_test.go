package gardener_test

import (
	"context"
	"errors"
	"testing"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
)

// BestRules: a known failure is not hidden, and each progress has its own clock.
func TestBestRules(t *testing.T) {
	f := newHarness(t, errs("no route"), fails("bad"))
	f.Rules = gardener.BestRules
	f.mustReconcile(t)
	want := verdict{statusFalse, gardener.ReasonUnsuccessful, "Unable to execute check: no route. Failed check: bad.", nil}
	if diff := cmp.Diff(want, verdictOf(f.condition(t, everyNodeReady))); diff != "" {
		t.Error(diff)
	}
	// A condition can leave False while a new progress starts.
	f.HealthChecks = f.HealthChecks[:1]
	f.HealthChecks[0].HealthCheck = progresses(time.Minute, "rolling")
	f.keepProgress(t)
	if got := f.condition(t, everyNodeReady).Status; got != statusProgressing {
		t.Errorf("a new progress is %s", got)
	}
}

// keepProgress reconciles with a store for clocks, as SetupWithManager sets one.
func (f *harness) keepProgress(t *testing.T) {
	t.Helper()
	reconciler, err := f.Reconciler(f.env.Client)
	if err != nil {
		t.Fatal(err)
	}
	reconciler.Progress = healthcheck.AnnotationProgress[client.Object]{Client: f.env.Client, Name: reconciler.Name}
	if _, err := reconciler.Reconcile(t.Context(), f.request()); err != nil {
		t.Fatal(err)
	}
}

// Codes come from the check and from its text, each once, and not from checks that could
// not be carried out.
func TestCodesOfWords(t *testing.T) {
	f := newHarness(t, fails("over quota", quota), errs("over quota"))
	for i := range f.HealthChecks {
		f.HealthChecks[i].ErrorCodeCheckFunc = func(err error) []gardencorev1beta1.ErrorCode {
			if err.Error() != "over quota" {
				t.Errorf("it was asked about %q", err)
			}
			return []gardencorev1beta1.ErrorCode{quota, unauth}
		}
	}
	f.mustReconcile(t)
	if got := f.condition(t, everyNodeReady).Codes; got != nil {
		t.Errorf("codes of an error are %v", got)
	}
	f.HealthChecks = f.HealthChecks[:1]
	f.mustReconcile(t)
	if diff := cmp.Diff([]gardencorev1beta1.ErrorCode{quota, unauth}, f.condition(t, everyNodeReady).Codes); diff != "" {
		t.Error(diff)
	}
}

// A panic and an unreachable shoot are results like others, and do not affect other checks.
func TestFailuresOfOthers(t *testing.T) {
	f := newHarness(t, &panicking{}, &optional{})
	f.HealthChecks = append(f.HealthChecks, gardener.ConditionTypeToHealthCheck{ConditionType: "Other", HealthCheck: passes()})
	f.Targets = nil
	if _, err := f.reconcile(t); err == nil {
		t.Error("a panic is no error")
	}
	want := verdict{
		statusUnknown, gardener.ReasonCheckError,
		`failed to execute 2 health checks: 1) check panicking panicked: boom. 2) secrets "gardener" not found.`, nil,
	}
	if diff := cmp.Diff(want, verdictOf(f.condition(t, everyNodeReady))); diff != "" {
		t.Error(diff)
	}
	if got := f.condition(t, "Other").Status; got != statusTrue {
		t.Errorf("the other is %s", got)
	}
}

type panicking struct{ scripted }

func (p *panicking) DeepCopy() gardener.HealthCheck { c := *p; return &c }

func (p *panicking) Check(context.Context, types.NamespacedName) (*gardener.SingleCheckResult, error) {
	panic(errors.New("boom"))
}
