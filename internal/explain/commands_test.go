package explain_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
)

// TestRetryAfterAsking: after a step that asks a person, the offered command continues with the next step. Without a step, it
// would repeat what was done before.
func TestRetryAfterAsking(t *testing.T) {
	for step, want := range map[string]string{
		"ask": "retry mr/metal-3-1 -n fleet --from replace", "replace": "retry mr/metal-3-1 -n fleet", "last": "retry mr/metal-3-1 -n fleet",
	} {
		r := &explain.Record{}
		r.Record = &v1alpha1.MachineRemediation{
			ObjectMeta: metav1.ObjectMeta{Namespace: "fleet", Name: "metal-3-1"},
			Status:     v1alpha1.MachineRemediationStatus{Phase: v1alpha1.RemediationHeld, Step: step},
		}
		r.Record.Spec.Steps = []v1alpha1.RemediationStep{
			{Name: "watch", Action: v1alpha1.ActionWait}, {Name: "ask", Action: v1alpha1.ActionHold},
			{Name: "replace", Action: v1alpha1.ActionReplace}, {Name: "last", Action: v1alpha1.ActionHold},
		}
		if got := explain.Answers(r)[0]; got.Line != want {
			t.Errorf("held at %s, %q is offered, want %q", step, got.Line, want)
		}
	}
}

// TestClock: a time without a date means the nearest one.
func TestClock(t *testing.T) {
	now := time.Date(2026, 11, 22, 22, 24, 14, 0, time.UTC)
	for after, want := range map[time.Duration]string{
		time.Minute: "22:25:14 UTC", 11 * time.Hour: "09:24:14 UTC", -11 * time.Hour: "11:24:14 UTC",
		24*time.Hour - time.Second: "2026-11-23 22:24:13 UTC", -13 * time.Hour: "2026-11-22 09:24:14 UTC",
	} {
		if got := explain.Clock(now.Add(after), now); got != want {
			t.Errorf("%s from now it is %q, want %q", after, got, want)
		}
	}
}
