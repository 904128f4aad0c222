package ladder

import (
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
