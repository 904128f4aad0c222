package ladder

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

type wish struct {
	Has, Wants bool
	At         string
	Fruitless  int
}

// TestWhoHasASlotAndWhoWantsOne: who has a slot, and who wants one.
func TestWhoHasASlotAndWhoWantsOne(t *testing.T) {
	for name, tt := range map[string]struct {
		facts Facts
		want  wish
	}{
		"admitted":                           {plan(replace()), wish{Has: true}},
		"admitted without a slot":            {with(plan(approvedStep(replace())), noGrant), wish{}},
		"no slot any more":                   {with(plan(replace()), waits("replace", 1), noSlot), wish{Fruitless: 1}},
		"waits for a slot":                   {with(plan(replace()), waits("replace", 1), noSlot, inLine), wish{Wants: true, Fruitless: 1}},
		"backs off":                          {with(plan(replace()), waits("replace", 1), noSlot, inLine, dueIn(time.Second)), wish{At: "1s", Fruitless: 1}},
		"has backed off":                     {with(plan(replace()), waits("replace", 1), noSlot, inLine, dueIn(0)), wish{Wants: true, Fruitless: 1}},
		"has backed off with a slot":         {with(plan(replace()), waits("replace", 1), inLine, dueIn(0)), wish{Has: true}},
		"a person denies it":                 {with(plan(replace()), waits("replace", 1), noSlot, inLine, decides(v1alpha1.AnswerDeny, "")), wish{Fruitless: 1}},
		"a person cancels it":                {with(plan(replace()), waits("replace", 1), noSlot, inLine, decides(v1alpha1.AnswerCancel, "")), wish{Fruitless: 1}},
		"a person approves what is approved": {with(plan(replace()), waits("replace", 1), noSlot, inLine, decides(v1alpha1.AnswerApprove, "")), wish{Wants: true, Fruitless: 1}},
		"at work":                            {with(plan(replace()), works("replace", time.Hour)), wish{Has: true}},
		"at work, over the slots":            {with(plan(replace()), replacing(time.Hour), noSlot), wish{}},
		"asked in vain":                      {with(plan(replace()), asks("replace", time.Hour), noSlot), wish{Fruitless: 1}},
		"deleted":                            {with(plan(replace()), waits("replace", 1), noSlot, inLine, recordIsDeleted), wish{Fruitless: 1}},
		"over":                               {with(plan(replace()), waits("replace", 1), noSlot, inLine, completed), wish{Fruitless: 1}},
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

// TestGetsInLine: who lacks nothing but a slot says so in a field of its status, whatever the condition says.
func TestGetsInLine(t *testing.T) {
	for name, tt := range map[string]struct {
		facts Facts
		want  bool
	}{
		"no slot":                         {with(plan(replace()), waits("replace", 1), noSlot), true},
		"no slot, and no status":          {with(plan(replace()), noGrant), true},
		"others come first":               {with(plan(replace()), waits("replace", 1), noSlot, paced), true},
		"the gate is closed":              {with(plan(replace()), gateClosed), true},
		"over the budget":                 {with(plan(replace()), overBudget), true},
		"the act fails":                   {with(plan(replace()), actFailed), true},
		"the act of an intent fails":      {with(plan(replace()), begins("replace", time.Minute), actFailed), true},
		"backs off":                       {with(plan(replace()), waits("replace", 1), noSlot, dueIn(time.Second)), true},
		"the owner did not answer":        {with(builtin(replace()), asks("replace", 10*time.Minute), func(f *Facts) { f.Machine.Mark.Ours = false }, bounded), true},
		"the owner did not answer, asked": {with(plan(approvedStep(replace())), asks("replace", 10*time.Minute), func(f *Facts) { f.Machine.Mark.Ours = false }, bounded), false},
		"a person has approved":           {with(plan(approvedStep(replace())), waits("replace", 1), noSlot, decides(v1alpha1.AnswerApprove, "")), true},
		"the annotation has approved":     {with(plan(approvedStep(replace())), waits("replace", 1), noSlot, remediateAsked), true},
		"a person must approve":           {with(plan(approvedStep(replace())), waits("replace", 1), noSlot), false},
		"paused":                          {with(plan(replace()), waits("replace", 1), noSlot, paused), false},
		"on hold":                         {with(plan(replace()), waits("replace", 1), noSlot, onHold), false},
		"held by others":                  {with(plan(replace()), waits("replace", 1), noSlot, claimed), false},
		"held by others, seen just now":   {with(plan(replace()), hidden), false},
		"undecided":                       {with(plan(replace()), waits("replace", 1), noSlot, is(Undecided)), false},
		"the plan does not exist":         {with(plan(replace()), waits("replace", 1), noSlot, misconfigured), false},
		"the plan cannot be evaluated":    {with(plan(replace()), waits("replace", 1), noSlot, planProblem), false},
		"something is taken back":         {with(plan(replace()), works("replace", time.Hour), busyOwner), false},
		"waits for nothing that acts":     {with(plan(wait()), waits("watch", 1), noSlot, dueIn(time.Second)), false},
		"begins":                          {with(plan(wait(), replace()), waits("replace", 2), inLine), false},
		"no step is left":                 {with(plan(replace()), works("replace", time.Hour), over(v1alpha1.ResultTimedOut, ""), inLine), false},
		"healthy":                         {with(plan(replace()), waits("replace", 1), noSlot, inLine, is(Healthy)), false},
		"gone":                            {with(plan(replace()), waits("replace", 1), noSlot, inLine, goneNow), false},
	} {
		t.Run(name, func(t *testing.T) {
			if d := Decide(tt.facts, noon); !d.Store || d.Status.SlotWanted != tt.want {
				t.Errorf("it wants a slot: %v, want %v; stored: %v, %+v", d.Status.SlotWanted, tt.want, d.Store, Progress(&d.Status))
			}
		})
	}
}

func inLine(f *Facts) { f.Record.Status.SlotWanted = true }

func noGrant(f *Facts) { f.Record.Spec.Grant = 0 }

// TestMemoryIsBounded: what nobody began is forgotten first.
func TestMemoryIsBounded(t *testing.T) {
	f := with(builtin(replace()), func(f *Facts) { f.Record.Spec.Grant, f.Record.Status.ReleasedGrant = 101, 100 })
	s := &f.Record.Status
	for number := int32(101 - maxAttempts); number <= 100; number++ {
		attempt := v1alpha1.RemediationAttempt{
			Number: number, Step: "replace", StartTime: ago(time.Hour), EndTime: ago(time.Minute), Result: v1alpha1.ResultTimedOut, ObjectRef: machineSet(),
			BeganAt: ago(time.Hour),
		}
		if number == 90 {
			attempt.BeganAt, attempt.Result = nil, v1alpha1.ResultNotBegun
		}
		s.Attempts = append(s.Attempts, attempt)
	}
	s.Attempt, s.Step = 101, "replace"
	got := Decide(f, noon).Status
	if n := len(got.Attempts); n != maxAttempts || got.Attempts[0].Number != 101-maxAttempts || got.Attempts[n-1].Number != 101 {
		t.Errorf("remembers %v", numbersOf(got))
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

// TestInFlight: what a former leader has carried out after the slot was given back counts all the same. What somebody asked for counts only while it
// is at work: if it waits for the record of a health check, that one needs a slot first.
func TestInFlight(t *testing.T) {
	back := func(f *Facts) { f.Record.Status.ReleasedGrant = f.Record.Spec.Grant }
	for name, tt := range map[string]struct {
		facts Facts
		want  bool
	}{
		"has a slot":                          {with(plan(replace())), true},
		"has given it back":                   {with(plan(replace()), back), false},
		"is at work without one":              {with(plan(replace()), works("replace", time.Minute), back), true},
		"has intended to be, and is not seen": {with(plan(replace()), begins("replace", time.Minute), back), false},
		"what somebody asked for waits":       {askedFor(Healthy), false},
		"what somebody asked for is intended": {with(askedFor(Healthy), begins("reboot", time.Minute)), true},
		"what somebody asked for is at work":  {with(askedFor(Healthy), works("reboot", time.Minute)), true},
		"was at work":                         {with(plan(replace()), works("replace", time.Minute), over(v1alpha1.ResultFailed, ""), back), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := InFlight(tt.facts.Record); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
		})
	}
}
