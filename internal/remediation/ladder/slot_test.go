package ladder

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

type wish struct {
	Has, Wants bool
	At         string
	Fruitless  int
}

// TestSlots: who has a slot, and who wants one.
func TestSlots(t *testing.T) {
	says := func(reason string) change { return said(metav1.ConditionTrue, reason, "") }
	for name, tt := range map[string]struct {
		facts Facts
		want  wish
	}{
		"admitted":                            {plan(replace()), wish{Has: true}},
		"admitted without a slot":             {with(plan(approvedStep(replace())), noGrant), wish{}},
		"no slot any more":                    {with(plan(replace()), waits("replace", 1), noSlot), wish{Wants: true, Fruitless: 1}},
		"no status yet, and no slot":          {with(plan(replace()), noGrant), wish{Wants: true}},
		"waits, and says so":                  {with(plan(replace()), waits("replace", 1), noSlot, says(v1alpha1.ReasonNoSlot)), wish{Wants: true, Fruitless: 1}},
		"others come first":                   {with(plan(replace()), waits("replace", 1), noSlot, says(v1alpha1.ReasonPaced)), wish{Wants: true, Fruitless: 1}},
		"backs off":                           {with(plan(replace()), waits("replace", 1), noSlot, says(v1alpha1.ReasonGateClosed), dueIn(time.Second)), wish{At: "1s", Fruitless: 1}},
		"has backed off":                      {with(plan(replace()), waits("replace", 1), noSlot, says(v1alpha1.ReasonGateClosed), dueIn(0)), wish{Wants: true, Fruitless: 1}},
		"has backed off with a slot":          {with(plan(replace()), waits("replace", 1), dueIn(0)), wish{Has: true}},
		"is stopped":                          {with(plan(replace()), waits("replace", 1), noSlot, says(v1alpha1.ReasonPaused)), wish{Fruitless: 1}},
		"is on hold":                          {with(plan(replace()), waits("replace", 1), noSlot, says(v1alpha1.ReasonOnHold)), wish{Fruitless: 1}},
		"is held by others":                   {with(plan(replace()), waits("replace", 1), noSlot, says(v1alpha1.ReasonRemediationHeldByOthers)), wish{Fruitless: 1}},
		"is undecided":                        {with(plan(replace()), waits("replace", 1), noSlot, says(v1alpha1.ReasonUndecided)), wish{Fruitless: 1}},
		"the plan cannot be evaluated":        {with(plan(replace()), waits("replace", 1), noSlot, says(v1alpha1.ReasonPlanProblem)), wish{Fruitless: 1}},
		"something is being taken back":       {with(plan(replace()), waits("replace", 1), noSlot, says(v1alpha1.ReasonWithdrawing)), wish{Fruitless: 1}},
		"a person has to approve":             {with(plan(approvedStep(replace())), waits("replace", 1), noSlot, says(v1alpha1.ReasonApprovalRequired)), wish{Fruitless: 1}},
		"a person has approved":               {with(plan(approvedStep(replace())), waits("replace", 1), noSlot, says(v1alpha1.ReasonApprovalRequired), decides(v1alpha1.AnswerApprove, "")), wish{Wants: true, Fruitless: 1}},
		"a person has approved and withdrawn": {with(plan(approvedStep(replace())), waits("replace", 1), noSlot, decides(v1alpha1.AnswerDeny, "")), wish{Fruitless: 1}},
		"the annotation has approved":         {with(plan(approvedStep(replace())), waits("replace", 1), noSlot, says(v1alpha1.ReasonNoSlot)), wish{Wants: true, Fruitless: 1}},
		"waits for nothing that acts":         {with(plan(wait()), waits("watch", 1), noSlot), wish{Fruitless: 1}},
		"no step is left":                     {with(plan(replace()), works("replace", time.Hour), over(v1alpha1.ResultTimedOut, ""), noSlot), wish{}},
		"at work":                             {with(plan(replace()), works("replace", time.Hour)), wish{Has: true}},
		"at work, over the slots":             {with(plan(replace()), works("replace", time.Hour), noSlot), wish{}},
		"in probation":                        {with(plan(replace()), works("replace", time.Hour), recovering(time.Second), noSlot), wish{}},
		"in probation, and undecided":         {with(plan(replace()), works("replace", time.Hour), recovering(time.Second), noSlot, func(f *Facts) { f.Record.Status.RecoveryTime = nil }), wish{}},
		"deleted":                             {with(plan(replace()), waits("replace", 1), noSlot, recordIsDeleted), wish{Fruitless: 1}},
		"over":                                {with(plan(replace()), waits("replace", 1), completed), wish{}},
	} {
		t.Run(name, func(t *testing.T) {
			r := tt.facts.Record
			wants, at := WantsSlot(r, noon)
			got := wish{Has: HasSlot(r), Wants: wants, Fruitless: Fruitless(r)}
			if !at.IsZero() {
				got.At = at.Sub(noon).String()
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("slot (-want +got):\n%s", diff)
			}
		})
	}
}

func noGrant(f *Facts) { f.Record.Spec.Grant = 0 }

// TestMemoryIsBounded: what did nothing is forgotten first, and what was forgotten does not count as fruitless.
func TestMemoryIsBounded(t *testing.T) {
	f := with(builtin(replace()), func(f *Facts) { f.Record.Spec.Grant, f.Record.Status.ReleasedGrant = 101, 100 })
	s := &f.Record.Status
	for number := int32(101 - maxAttempts); number <= 100; number++ {
		attempt := v1alpha1.RemediationAttempt{
			Number: number, Step: "replace", StartTime: ago(time.Hour), EndTime: ago(time.Minute), Result: v1alpha1.ResultTimedOut, ObjectRef: machineSet(),
		}
		if number == 90 {
			attempt.ObjectRef, attempt.Result = nil, v1alpha1.ResultAborted
		}
		s.Attempts = append(s.Attempts, attempt)
	}
	s.Attempt, s.Step = 101, "replace"
	got := Decide(f, noon).Status
	if n := len(got.Attempts); n != maxAttempts || got.Attempts[0].Number != 101-maxAttempts || got.Attempts[n-1].Number != 101 {
		t.Errorf("remembers %v", numbersOf(got))
	}
	if n := Fruitless(f.Record); n != 1 {
		t.Errorf("%d grants were fruitless, want 1", n)
	}
	f.Record.Status = got
	f.Record.Status.NextTransitionTime = nil
	f.Record.Status.Attempts[maxAttempts-1].EndTime = ago(0)
	f.Record.Status.Attempts[maxAttempts-1].ObjectRef = machineSet()
	f.Record.Status.Attempts[maxAttempts-1].Result = v1alpha1.ResultTimedOut
	f.Record.Status.Attempt++
	if got := numbersOf(Decide(f, noon).Status); len(got) != maxAttempts || got[0] != 102-maxAttempts {
		t.Errorf("remembers %v", got)
	}
}
