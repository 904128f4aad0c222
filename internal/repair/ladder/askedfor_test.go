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

// TestOneOfSeveralRecordsGoesFirst: of several open records of a machine, exactly one goes first.
func TestOneOfSeveralRecordsGoesFirst(t *testing.T) {
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

// TestBeforeAtWork: what is at work goes first, also if another record seems to be as old, or older: it was made in the same second, or the clock
// has stepped back.
func TestBeforeAtWork(t *testing.T) {
	for _, later := range []time.Duration{0, time.Second} {
		first, second := with(askedFor(Sick), works("reboot", time.Minute)).Record, askedFor(Sick).Record
		first.UID, second.UID = "b", "a"
		first.CreationTimestamp, second.CreationTimestamp = *ago(0), *ago(later)
		if !Before(first, second) || Before(second, first) {
			t.Errorf("what was made %s before what is at work does not wait", later)
		}
	}
}

// TestBeforeByKind: what people ask for waits for what a health check asks for, be it ours or another controller's. Of two of one kind, the later one waits.
func TestBeforeByKind(t *testing.T) {
	own, theirs := plan(reboot()).Record, byHealthCheck(Sick).Record
	own.UID, theirs.UID = "a", "b"
	own.CreationTimestamp, theirs.CreationTimestamp = *ago(time.Minute), *ago(0)
	for _, check := range []*v1alpha1.MachineRemediation{own, theirs} {
		for _, person := range []Facts{askedFor(Sick), byAnnotation(), askedBy(v1alpha1.AskedByRequest, "r")} {
			person.Record.CreationTimestamp = *ago(time.Hour)
			if !Before(check, person.Record) || Before(person.Record, check) {
				t.Errorf("what %s asked for does not wait for a health check's", person.Record.Spec.RequestedBy)
			}
		}
	}
	if !Before(own, theirs) || Before(theirs, own) {
		t.Error("of two health checks, the later one does not wait")
	}
}

// TestBeforeWhoKeepsOff: nobody has a host cycled that a person keeps off, or is about to. That person waits only for what stands: the host is
// released at once, and what somebody else has not begun would wait for the person.
func TestBeforeWhoKeepsOff(t *testing.T) {
	keeps := keepsOff().Record
	keeps.CreationTimestamp = *ago(0)
	for name, tt := range map[string]struct {
		other  Facts
		stands bool
	}{
		"a person waits":           {with(askedFor(Sick), waits("reboot", 1)), false},
		"a person's cycle stands":  {with(askedFor(Sick), works("reboot", time.Minute)), true},
		"it was aborted":           {with(askedFor(Sick), works("reboot", time.Minute), over(v1alpha1.ResultAborted, "reboot")), false},
		"it is being withdrawn":    {with(askedFor(Sick), works("reboot", time.Minute), over(v1alpha1.ResultAborted, "reboot"), withdrawing), true},
		"a health check waits":     {with(plan(reboot()), waits("reboot", 1)), false},
		"its cycle stands":         {with(plan(reboot()), works("reboot", time.Minute)), true},
		"its cycle was aborted":    {with(plan(reboot()), works("reboot", time.Minute), over(v1alpha1.ResultAborted, "reboot")), false},
		"another controller's too": {with(byHealthCheck(Sick), works("reboot", time.Minute), over(v1alpha1.ResultAborted, "reboot")), false},
	} {
		tt.other.Record.CreationTimestamp = *ago(time.Hour)
		if !Before(keeps, tt.other.Record) {
			t.Errorf("%s: it does not wait for the person", name)
		}
		if got := Before(tt.other.Record, keeps); got != tt.stands {
			t.Errorf("%s: the person waits for it: %t", name, got)
		}
	}
}

// TestAskedForBacksOff: what cannot be carried out for a reason that the caches do not show is tried again later, less and less often.
func TestAskedForBacksOff(t *testing.T) {
	for name, obstacle := range map[string]change{"the act fails": actFailed, "somebody works on the Node": hidden} {
		for who, f := range map[string]Facts{"a person": askedFor(Sick), "a health check": byHealthCheck(Sick)} {
			now, last, total := noon, time.Duration(0), time.Duration(0)
			for range 12 {
				var d Decision
				f, d = decideAll(f, now)
				if d.Act != CreateReboot {
					t.Fatalf("%s: %s: it does %q: %+v", who, name, d.Act, f.Record.Status)
				}
				f, d = decideAll(with(f, obstacle), now)
				f.Safety = Safety{}
				wait := d.RecheckAt.Sub(now)
				if d.Act != None || wait < 5*time.Second || wait < last || wait > 8*time.Minute || f.Record.Status.Phase != v1alpha1.RemediationPending {
					t.Fatalf("%s: %s: it looks again after %s, before after %s: %+v", who, name, wait, last, f.Record.Status)
				}
				if again, d := decideAll(f, now); d.Act != None || d.RecheckAt != now.Add(wait) {
					t.Fatalf("%s: %s: it does not wait: %+v", who, name, again.Record.Status)
				}
				now, last, total = d.RecheckAt, wait, total+wait
			}
			if total < 30*time.Minute || len(f.Record.Status.Attempts) > 1 {
				t.Errorf("%s: %s: it tries 12 times in %s: %+v", who, name, total, f.Record.Status.Attempts)
			}
		}
	}
}
