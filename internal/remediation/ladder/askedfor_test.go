package ladder

import (
	"slices"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// askedFor is the record of one power cycle that a person asked for, of a machine that is as given. It was granted no slot.
func askedFor(health Health) Facts {
	step := reboot()
	step.Attempts = 0
	return with(builtin(step), is(health), func(f *Facts) {
		s := &f.Record.Spec
		s.HealthCheckRef, s.Finding, s.Grant = v1alpha1.RemediationReference{}, v1alpha1.RemediationFinding{}, 0
		s.RequestedBy = &v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByPerson, Name: "ann", Reason: "new firmware"}
	})
}

func cycleBegins(f *Facts) { f.Request.BeganAt = noon }

// TestAskedFor: what a person asks for is done once, whatever is known about the machine's health, and then the record ends.
func TestAskedFor(t *testing.T) {
	cycled := func(succeeded string) change {
		return func(f *Facts) { cycleBegins(f); requestSays(succeeded, "The Node is back")(f) }
	}
	cancelled := func(f *Facts) {
		f.Record.Spec.Decision = &v1alpha1.RemediationDecision{Attempt: 1, Answer: v1alpha1.AnswerCancel, By: "ann"}
	}
	cannot := func(f *Facts) { f.Request.Impossible = true; requestSays("False", "The machine has no host")(f) }
	for name, tt := range map[string]struct {
		before, asked change
		acts          []Act
		phase         v1alpha1.RemediationPhase
		// outcome is the reason of Succeeded, or of Progressing while it is open.
		outcome string
	}{
		"it is done":                     {nil, cycled("True"), []Act{CreateReboot, Close}, v1alpha1.RemediationEnded, v1alpha1.ReasonDone},
		"it fails":                       {nil, cycled("False"), []Act{CreateReboot, Close}, v1alpha1.RemediationEnded, v1alpha1.ReasonNotDone},
		"it takes too long":              {nil, cycled("Unknown"), []Act{CreateReboot, WithdrawRequest, Close}, v1alpha1.RemediationEnded, v1alpha1.ReasonNotDone},
		"it can never begin":             {nil, cannot, []Act{CreateReboot, Close}, v1alpha1.RemediationEnded, v1alpha1.ReasonNotDone},
		"it is taken back":               {nil, cancelled, []Act{CreateReboot, WithdrawRequest, Close}, v1alpha1.RemediationEnded, v1alpha1.ReasonCancelled},
		"the kind is not installed":      {impossible, nil, []Act{Close}, v1alpha1.RemediationEnded, v1alpha1.ReasonNotDone},
		"the machine is gone":            {goneNow, nil, []Act{Close}, v1alpha1.RemediationEnded, v1alpha1.ReasonMachineDeleted},
		"a person keeps the host":        {keptOff, nil, nil, v1alpha1.RemediationPending, v1alpha1.ReasonRemediationHeldByOthers},
		"another repair is at work":      {claimed, nil, nil, v1alpha1.RemediationPending, v1alpha1.ReasonRemediationHeldByOthers},
		"the Cluster is paused":          {paused, nil, nil, v1alpha1.RemediationPending, v1alpha1.ReasonPaused},
		"the machine is on hold":         {unsafe(func(s *Safety) { s.OnHold = "ann holds it" }), nil, nil, v1alpha1.RemediationPending, v1alpha1.ReasonOnHold},
		"the machine is being deleted":   {deleting(time.Minute), nil, nil, v1alpha1.RemediationPending, v1alpha1.ReasonRemediationHeldByOthers},
		"remediate-machine does nothing": {remediateAsked, cycled("True"), []Act{CreateReboot, Close}, v1alpha1.RemediationEnded, v1alpha1.ReasonDone},
	} {
		for _, health := range []Health{Healthy, Sick, Undecided} {
			t.Run(name+", "+string(health), func(t *testing.T) {
				w := &story{f: askedFor(health), now: noon, asked: tt.asked}
				if tt.before != nil {
					tt.before(&w.f)
				}
				w.until(48 * time.Hour)
				s := &w.f.Record.Status
				outcome := Success(s).Reason
				if s.Phase != v1alpha1.RemediationEnded {
					outcome = Progress(s).Reason
				}
				if !slices.Equal(w.acts, tt.acts) || s.Phase != tt.phase || outcome != tt.outcome {
					t.Errorf("it does %v and is %s, %s: %+v", w.acts, s.Phase, outcome, s.Conditions)
				}
			})
		}
	}
}

// TestAskedForInVain: what nobody begins is asked for once an hour, and for no longer than a day: the health check of the machine waits for it.
func TestAskedForInVain(t *testing.T) {
	w := &story{f: askedFor(Sick), now: noon, asked: requestSays("Unknown", "another host is cycled")}
	w.until(23 * time.Hour)
	if w.f.Record.Status.CompletionTime != nil {
		t.Errorf("it has ended: %+v", w.f.Record.Status.Conditions)
	}
	w.until(26 * time.Hour)
	if c := Success(&w.f.Record.Status); c.Reason != v1alpha1.ReasonNotDone || HasBegun(w.f.Record) || len(w.f.Record.Status.Attempts) != 1 {
		t.Errorf("it ends as %q: %+v", c.Reason, w.f.Record.Status)
	}
}

// TestSuperseded: a health check's record makes room for what a person asks for, unless somebody has begun with it.
func TestSuperseded(t *testing.T) {
	instead := unsafe(func(s *Safety) { s.Superseded = "MachineRemediation x is what ann asked for instead" })
	for name, tt := range map[string]struct {
		facts   Facts
		acts    []Act
		outcome string
	}{
		"nothing is asked for":     {plan(reboot(), replace()), []Act{Close}, v1alpha1.ReasonSuperseded},
		"it waits for a slot":      {with(plan(replace()), noSlot), []Act{Close}, v1alpha1.ReasonSuperseded},
		"a mark has no answer":     {with(plan(replace()), asks("replace", time.Minute)), []Act{WithdrawMark, Close}, v1alpha1.ReasonSuperseded},
		"a cycle has not begun":    {with(plan(reboot()), asks("reboot", time.Minute)), []Act{WithdrawRequest, Close}, v1alpha1.ReasonSuperseded},
		"the machine is deleted":   {with(plan(replace()), replacing(time.Minute)), nil, ""},
		"a cycle is under way":     {with(plan(reboot()), works("reboot", time.Minute)), nil, ""},
		"a cycle has just begun":   {with(plan(reboot()), asks("reboot", time.Minute), cycleBegins), nil, ""},
		"it waits, only as before": {with(plan(wait(), replace()), works("watch", time.Minute)), []Act{Close}, v1alpha1.ReasonSuperseded},
	} {
		t.Run(name, func(t *testing.T) {
			w := &story{f: with(tt.facts, instead), now: noon}
			w.until(0)
			if outcome := Success(&w.f.Record.Status).Reason; outcome != tt.outcome || !slices.Equal(w.acts, tt.acts) {
				t.Errorf("it does %v and ends %q: %+v", w.acts, outcome, w.f.Record.Status)
			}
		})
	}
}

// TestBefore: of several open records of a machine, exactly one goes first.
func TestBefore(t *testing.T) {
	a, b, check := askedFor(Sick).Record, askedFor(Sick).Record, plan(reboot()).Record
	a.UID, b.UID = "a", "b"
	b.CreationTimestamp = *ago(-time.Second)
	a.CreationTimestamp = *ago(0)
	if !Before(a, b) || Before(b, a) || !Before(check, a) {
		t.Error("the earlier one goes first, and a health check's before both")
	}
	b.CreationTimestamp = a.CreationTimestamp
	if Before(a, b) == Before(b, a) {
		t.Error("of two at once, one goes first")
	}
}
