package explain_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
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

// TestCancelledOnce: what is cancelled cannot be cancelled again; a person can retry it once it is Held.
func TestCancelledOnce(t *testing.T) {
	cancel := &v1alpha1.RemediationDecision{Answer: v1alpha1.AnswerCancel, Attempt: 1}
	because := func(reason string) []metav1.Condition {
		return []metav1.Condition{{Type: v1alpha1.ConditionProgressing, Status: metav1.ConditionFalse, Reason: reason}}
	}
	for name, tt := range map[string]struct {
		phase    v1alpha1.RemediationPhase
		reason   string
		decision *v1alpha1.RemediationDecision
		want     string
	}{
		"acting":            {v1alpha1.RemediationActing, "", nil, "cancel"},
		"asked to cancel":   {v1alpha1.RemediationActing, "", cancel, ""},
		"held":              {v1alpha1.RemediationHeld, v1alpha1.ReasonNoStepLeft, nil, "retry cancel"},
		"held, and asked":   {v1alpha1.RemediationHeld, v1alpha1.ReasonNoStepLeft, cancel, "retry"},
		"cancelled":         {v1alpha1.RemediationHeld, v1alpha1.ReasonCancelled, nil, "retry"},
		"retried since":     {v1alpha1.RemediationHeld, v1alpha1.ReasonCancelled, &v1alpha1.RemediationDecision{Answer: v1alpha1.AnswerRetry, Attempt: 1}, "retry cancel"},
		"about an old step": {v1alpha1.RemediationActing, "", &v1alpha1.RemediationDecision{Answer: v1alpha1.AnswerCancel, Attempt: 7}, "cancel"},
	} {
		r := &explain.Record{}
		r.Record = &v1alpha1.MachineRemediation{
			Spec:   v1alpha1.MachineRemediationSpec{Decision: tt.decision},
			Status: v1alpha1.MachineRemediationStatus{Phase: tt.phase, Attempt: 1, Conditions: because(tt.reason)},
		}
		var got []string
		for _, one := range explain.Answers(r) {
			got = append(got, one.Verb)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q are offered, want %q", name, got, tt.want)
		}
	}
}

// TestCancelledWhileItEnds: the record has gone on to the next attempt, so the decision is about an old one. Nobody is offered to cancel it again.
func TestCancelledWhileItEnds(t *testing.T) {
	s := explaintest.New()
	r := s.Record(s.Healthy("m1"), explaintest.Step("reboot", v1alpha1.ActionReboot, 1, time.Hour))
	r.Spec.RequestedBy = &v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByPerson, Name: "alice"}
	r.Spec.Decision = &v1alpha1.RemediationDecision{Answer: v1alpha1.AnswerCancel, Attempt: 1}
	r.Status = v1alpha1.MachineRemediationStatus{Phase: v1alpha1.RemediationActing, Attempt: 2, Attempts: []v1alpha1.RemediationAttempt{
		{Number: 1, Step: "reboot", EndTime: new(metav1.NewTime(s.Now)), Result: v1alpha1.ResultCancelled},
	}}
	f := s.Facts()
	page := f.Page(f.Machines[0])
	if diff := cmp.Diff([2]string{}, [2]string{rowText(page, "Unless"), rowText(page, "Stop")}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCancelSaysWhatFollows: a cancelled repair waits for a retry, except one that somebody asked for: that one ends.
func TestCancelSaysWhatFollows(t *testing.T) {
	for want, by := range map[string]*v1alpha1.RemediationRequester{
		"Sickbay withdraws the request; nothing more is tried unless somebody retries": nil,
		"Sickbay withdraws the request; the repair ends":                               {Kind: v1alpha1.AskedByPerson},
	} {
		r := &explain.Record{}
		r.Record = &v1alpha1.MachineRemediation{
			Spec:   v1alpha1.MachineRemediationSpec{RequestedBy: by},
			Status: v1alpha1.MachineRemediationStatus{Phase: v1alpha1.RemediationActing, Attempt: 1},
		}
		if got := explain.Answers(r)[0].Does; got != want {
			t.Errorf("asked by %v: %q, want %q", by, got, want)
		}
	}
}
