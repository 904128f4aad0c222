package ladder

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// situations are records in each phase, and in each step that may be at work.
func situations() []row {
	p := func() Facts { return plan(wait(), reboot(), request(), replace(), holdStep()) }
	return []row{
		{name: "new", facts: plan(replace(), holdStep())},
		{name: "pending", facts: with(p(), waits("reboot", 1), noSlot)},
		{name: "approval", facts: with(plan(approvedStep(replace()), holdStep()), waits("replace", 1), noSlot)},
		{name: "waiting", facts: with(p(), begins("watch", time.Minute))},
		{name: "rebooting", facts: with(p(), works("reboot", time.Minute))},
		{name: "requesting", facts: with(p(), works("request", time.Minute))},
		{name: "reboot asked", facts: with(p(), asks("reboot", time.Minute))},
		{name: "marked", facts: with(p(), asks("replace", time.Minute))},
		{name: "replacing", facts: with(p(), replacing(time.Minute))},
		{name: "intended", facts: with(p(), begins("replace", time.Minute))},
		{name: "withdrawing", facts: with(p(), works("replace", time.Minute), over(v1alpha1.ResultWithdrawn, "ask"), marked, withdrawing)},
		{name: "probation", facts: with(p(), works("reboot", time.Minute), recovering(time.Second))},
		{name: "held", facts: with(p(), works("replace", time.Hour), over(v1alpha1.ResultTimedOut, "ask"))},
		{name: "ended", facts: with(p(), works("replace", time.Hour), over(v1alpha1.ResultTimedOut, "ask"), completed)},
	}
}

// occurrences are what may happen in each of them.
func occurrences() []struct {
	name    string
	happens change
} {
	late := func(f *Facts) {
		if f.Record.Status.NextTransitionTime != nil {
			f.Record.Status.NextTransitionTime = ago(0)
		}
		if last := AtWork(f.Record); last != nil {
			last.StartTime, f.Bounded = ago(time.Hour), true
		}
	}
	type o = struct {
		name    string
		happens change
	}
	return []o{
		{"nothing", func(*Facts) {}},
		{"time is up", late},
		{"healthy", is(Healthy)},
		{"undecided", is(Undecided)},
		{"deleting", deleting(time.Second)},
		{"gone", goneNow},
		{"paused", paused},
		{"on hold", onHold},
		{"terminating", terminating},
		{"unmanaged", unmanaged},
		{"record deleted", recordIsDeleted},
		{"claimed", claimed},
		{"kept off", keptOff},
		{"gate closed", gateClosed},
		{"approve", decides(v1alpha1.AnswerApprove, "")},
		{"deny", decides(v1alpha1.AnswerDeny, "")},
		{"retry", decides(v1alpha1.AnswerRetry, "")},
		{"retry replace", decides(v1alpha1.AnswerRetry, "replace")},
		{"cancel", decides(v1alpha1.AnswerCancel, "")},
		{"annotated", remediateAsked},
		{"jump", jumpTo("replace")},
		{"plan problem", planProblem},
	}
}

// course is what a record says one after the other, until it acts or comes to rest.
func course(f Facts) string {
	var all []string
	for range 10 {
		d := Decide(f, noon)
		if d.Act != None {
			return strings.Join(append(all, string(d.Act)), ", ")
		}
		if !d.Store {
			break
		}
		text := string(d.Status.Phase) + " " + Progress(&d.Status).Reason
		if d.Status.CompletionTime != nil {
			text = string(d.Status.Phase) + " " + endOf(d.Status)
		}
		all = append(all, text)
		f.Record = f.Record.DeepCopy()
		f.Record.Status = d.Status
	}
	return strings.Join(all, ", ")
}

func endOf(s v1alpha1.MachineRemediationStatus) string {
	for _, c := range s.Conditions {
		if c.Type == v1alpha1.ConditionSucceeded {
			return c.Reason
		}
	}
	return ""
}

// TestWhatFollowsInEachPhase: what may happen, in whatever phase.
func TestWhatFollowsInEachPhase(t *testing.T) {
	got := map[string]map[string]string{}
	for _, s := range situations() {
		follows := map[string][]string{}
		for _, o := range occurrences() {
			answer := course(with(s.facts, o.happens))
			follows[answer] = append(follows[answer], o.name)
		}
		got[s.name] = map[string]string{}
		for answer, all := range follows {
			got[s.name][answer] = strings.Join(all, ", ")
		}
	}
	if diff := cmp.Diff(matrix, got); diff != "" {
		t.Errorf("what follows (-want +got):\n%s", diff)
	}
}
