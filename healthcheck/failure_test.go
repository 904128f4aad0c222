package healthcheck_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

var errCheck = errors.New("no route")

// TestFailedCheck: the error of a check is stored, and the check is retried with back-off.
func TestFailedCheck(t *testing.T) {
	f := newHarness(t, healthcheck.Result{})
	f.err = errCheck
	if _, err := f.Reconcile(t.Context(), f.request()); !errors.Is(err, errCheck) {
		t.Errorf("error is %v, want that of the check", err)
	}
	got := f.stored(t).Status.Conditions[0]
	if got.Status != metav1.ConditionUnknown || got.Reason != healthcheck.ReasonCheckFailed || got.Message != "check answer: no route" {
		t.Errorf("stored %+v, want Unknown and why", got)
	}
}

// TestFailedCheckDelaysNobody: one check fails while another progresses.
func TestFailedCheckDelaysNobody(t *testing.T) {
	tests := map[string]struct {
		deadline time.Duration
		again    time.Duration
		backoff  bool
	}{
		"a deadline that no back-off reaches": {time.Hour, 0, true},
		"a deadline that a back-off may miss": {20 * time.Second, 5 * time.Millisecond, false},
		"a deadline that comes first":         {2 * time.Second, 5 * time.Millisecond, false},
		"a deadline before the next look":     {2 * time.Millisecond, 5 * time.Millisecond, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, withDeadline(result(healthcheck.Progressing, "R", "m"), in(tt.deadline)))
			f.Conditions[0].Checks = append(f.Conditions[0].Checks, healthcheck.NamedCheck[*Widget]{
				Name: "broken", Check: healthcheck.CheckFunc[*Widget](func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) {
					return healthcheck.Result{}, errCheck
				}),
			})
			got, err := f.Reconcile(t.Context(), f.request())
			if got.RequeueAfter != tt.again || (err != nil) != tt.backoff {
				t.Errorf("got %s and error %v, want %s and an error: %t", got.RequeueAfter, err, tt.again, tt.backoff)
			}
		})
	}
}

// TestFailedPrecheck: it makes its own condition Unknown, or leaves it alone if so configured, and does not keep others
// from being written.
func TestFailedPrecheck(t *testing.T) {
	failed := healthcheck.ReasonCheckFailed + ": deciding whether Healthy applies: no route"
	tests := map[string]struct {
		precheck       healthcheck.Precheck[*Widget]
		whileUndecided healthcheck.Applicability
		want           string
	}{
		"an error":                         {precheckAnswers(0, errCheck), healthcheck.Applies, failed},
		"an error, whatever comes with it": {precheckAnswers(healthcheck.DoesNotApply, errCheck), healthcheck.Applies, failed},
		"a panic": {
			func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Applicability, error) { panic(errCheck) },
			healthcheck.Applies, healthcheck.ReasonCheckPanicked + ": deciding whether Healthy applies panicked: no route",
		},
		"left alone": {precheckAnswers(0, errCheck), healthcheck.LeaveAlone, "Fine: "},
		"an answer that nobody knows": {
			precheckAnswers(7, nil), healthcheck.Applies,
			healthcheck.ReasonInvalidResult + ": deciding whether Healthy applies gave the unknown answer 7",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, result(healthcheck.True, "Fine", ""))
			f.Conditions = append(f.Conditions, healthcheck.ConditionChecks[*Widget]{Type: "Other", Checks: f.Conditions[0].Checks})
			f.reconcile(t)
			f.Conditions[0].Prechecks, f.Conditions[0].WhileUndecided = []healthcheck.Precheck[*Widget]{tt.precheck}, tt.whileUndecided
			f.result = result(healthcheck.False, "Broken", "")
			if _, err := f.Reconcile(t.Context(), f.request()); err == nil {
				t.Error("there is no error to try again by")
			}
			got := map[string]string{}
			for _, c := range f.stored(t).Status.Conditions {
				got[c.Type] = c.Reason + ": " + c.Message
			}
			if diff := cmp.Diff(map[string]string{"Healthy": tt.want, "Other": "Broken: "}, got); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
		})
	}
}

func precheckAnswers(answer healthcheck.Applicability, err error) healthcheck.Precheck[*Widget] {
	return func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Applicability, error) {
		return answer, err
	}
}

// TestShutdownWritesNothing: the results of a cancelled run mean nothing.
func TestShutdownWritesNothing(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	ctx, cancel := context.WithCancel(t.Context())
	f.Conditions[0].Checks[0].Check = healthcheck.CheckFunc[*Widget](func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		cancel()
		return f.result, nil
	})
	if _, err := f.Reconcile(ctx, f.request()); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want that the run was cancelled", err)
	}
	if got := types(f.stored(t)); len(got) != 0 {
		t.Errorf("conditions are %v, want none", got)
	}
}

// TestWhatTheAPIServerWouldRefuse: it is fixed, so that the verdict is stored.
func TestWhatTheAPIServerWouldRefuse(t *testing.T) {
	f := newHarness(t, result(healthcheck.False, "", strings.Repeat("ä", 20_000)))
	f.reconcile(t)
	got := f.stored(t).Status.Conditions[0]
	if got.Status != metav1.ConditionFalse || got.Reason != "NotGiven" || !strings.HasSuffix(got.Message, "ä...") {
		t.Errorf("stored %s, %s and %d bytes, want False, a reason and as much of the message as fits", got.Status, got.Reason, len(got.Message))
	}
	version := f.stored(t).ResourceVersion
	f.reconcile(t)
	if after := f.stored(t).ResourceVersion; after != version {
		t.Errorf("resourceVersion went from %s to %s, want no write", version, after)
	}
}

// TestTypedNilErrors: an error that holds a nil pointer, a common mistake, counts as a panic of the code that returns it.
func TestTypedNilErrors(t *testing.T) {
	fine := healthcheck.Result{Status: healthcheck.True, Reason: "Fine"}
	for name, err := range map[string]error{
		"url": (*url.Error)(nil), "unavailable": (*healthcheck.UnavailableError)(nil), "later": (*healthcheck.LaterError)(nil),
	} {
		for _, where := range []string{"check", "target", "precheck"} {
			t.Run(name+" "+where, func(t *testing.T) {
				c := condition("Probed", says(fine, nil))
				switch where {
				case "check":
					c = condition("Probed", says(fine, err))
				case "target":
					c.Checks[0].Needs = healthcheck.NeedsTarget
				case "precheck":
					c.Prechecks = []healthcheck.Precheck[*Widget]{func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Applicability, error) {
						return healthcheck.Applies, err
					}}
				}
				f := inMemory(t, c, condition("Other", says(fine, nil)))
				f.Targets = healthcheck.TargetsFunc[*Widget](func(context.Context, *Widget) (client.Reader, error) { return nil, err })
				_, _ = f.Reconcile(t.Context(), f.request())
				if got := f.kept(); got["Other"] != healthcheck.True || (name != "later" && got["Probed"] != healthcheck.Unknown) {
					t.Errorf("got %v", got)
				}
			})
		}
	}
}
