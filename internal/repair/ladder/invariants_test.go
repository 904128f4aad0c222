package ladder

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// look is a decision with the facts that it was made of.
type look struct {
	rapid.TB
	f   Facts
	now time.Time
}

func (w *look) fail(format string, args ...any) {
	w.Helper()
	w.Fatalf("%s\nof %+v", fmt.Sprintf(format, args...), w.f.Record.Status)
}

// decide checks what holds of any decision by itself, whatever was read: what may never be done is not done, and what is done was stored before.
func (w *look) decide() Decision {
	w.Helper()
	before := with(w.f)
	d := Decide(w.f, w.now)
	w.Logf("%s: %s %s %s", d.Rule, d.Act, d.Status.Phase, Progress(&d.Status).Reason)
	if !equality.Semantic.DeepEqual(before.Record, w.f.Record) {
		w.fail("deciding has changed the facts")
	}
	if d.Rule == "" {
		w.fail("no rule has decided")
	}
	if d.Store && d.Act != None {
		w.fail("%s together with a write of the status", d.Act)
	}
	if !d.Store && d.Act == None && !d.RecheckAt.IsZero() && !d.RecheckAt.After(w.now) {
		w.fail("looks again at %s, which is past", d.RecheckAt)
	}
	w.checkAct(d)
	if d.Store && w.f.Record.Status.CompletionTime == nil {
		w.checkStore(d)
	}
	return d
}

// settle stores until nothing is to be stored any more. Within one moment, that takes few writes.
func (w *look) settle() Decision {
	w.Helper()
	for range 7 {
		d := w.decide()
		if !d.Store {
			if d.Act == None {
				w.checkRest(d)
			}
			return d
		}
		w.f.Record = w.f.Record.DeepCopy()
		w.f.Record.Status = d.Status
	}
	w.fail("it still writes")
	return Decision{}
}

// checkAct holds of every act.
func (w *look) checkAct(d Decision) {
	f, s := w.f, w.f.Record.Status
	if seen := s; s.CompletionTime != nil {
		// It only sees what was changed since.
		seen.ObservedGeneration = d.Status.ObservedGeneration
		if !equality.Semantic.DeepEqual(seen, d.Status) || (d.Act != None && d.Act != Close) {
			w.fail("the record has ended, and goes on: %+v", d)
		}
	}
	if d.Act == None {
		return
	}
	if d.Act == Close && s.CompletionTime == nil {
		w.fail("an open record is closed")
	}
	if !d.Act.Begins() {
		return
	}
	if f.Record.Spec.AskedFor() {
		f.asAsked()
	}
	m, safety := f.Machine, f.Safety
	if reason, _ := safety.stop(w.now); m.Health != Sick || m.Gone || m.Deleting() || reason != "" || safety.Unmanaged.IsSet() ||
		safety.HeldByOthers.IsSet() || safety.OthersAtWork.IsSet() || safety.Misconfigured.IsSet() || safety.KeptOff.IsSet() || safety.GateClosed != "" || safety.OverBudget != "" || !f.Record.DeletionTimestamp.IsZero() {
		w.fail("%s on a machine that must not be touched", d.Act)
	}
	w.checkDeletion(d)
	if !HasSlot(f.Record) && !f.Record.Spec.AskedFor() {
		w.fail("%s without a slot", d.Act)
	}
	open := AtWork(f.Record)
	if s.Attempt != 0 && (open == nil || open.OperationID != d.Attempt.OperationID || open.Step != d.Step.Name) {
		w.fail("%s without an intent", d.Act)
	}
	if s.Attempt == 0 && d.Attempt.Number != 1 {
		w.fail("%s begins with attempt %d", d.Act, d.Attempt.Number)
	}
	if d.Step.Approval == v1alpha1.ApprovalRequired && (open == nil || open.Decision == nil) && !allows(DecisionAbout(f.Record)) {
		w.fail("%s without approval", d.Act)
	}
}

// checkDeletion holds of the acts of a Replace: a machine that somebody owns is deleted only by a step that says so, and only while its owner is not
// asked to delete it.
func (w *look) checkDeletion(d Decision) {
	m := w.f.Machine
	switch {
	case d.Act == MarkForOwner && d.Step.Deletes():
		w.fail("the owner is asked, though the step deletes the machine")
	case d.Act != DeleteMachine:
	case m.Owner != nil && !d.Step.Deletes():
		w.fail("the machine is deleted past its owner")
	case m.ControlPlane:
		w.fail("a machine of a control plane is deleted")
	case d.Step.Deletes() && m.Mark.Stands() && m.Mark.State != MarkRefused:
		w.fail("the machine is deleted while its owner is asked to do so")
	}
}

// checkStore holds of every write of the status.
func (w *look) checkStore(d Decision) {
	before, after := w.f.Record.Status, d.Status
	if after.ReleasedGrant < before.ReleasedGrant || after.ReleasedGrant > w.f.Record.Spec.Grant {
		w.fail("the released grant goes from %d to %d of %d", before.ReleasedGrant, after.ReleasedGrant, w.f.Record.Spec.Grant)
	}
	open := atWork(&after)
	reopened := open != nil && open.Begun() && atWork(&before) == nil
	if !increases(numbersOf(after)) || (after.Attempt < before.Attempt && !reopened) {
		w.fail("attempts are numbered %v, and the next %d", numbersOf(after), after.Attempt)
	}
	if last := Last(&after); last != nil && atWork(&after) == nil && proving(&after) == nil && after.Attempt <= last.Number && after.CompletionTime == nil {
		w.fail("attempt %d is over, and would come again", last.Number)
	}
	if n := len(after.Attempts); n > maxAttempts {
		w.fail("%d attempts are remembered", n)
	}
	t := &draft{f: w.f, s: after, now: w.now}
	if after.ReleasedGrant > before.ReleasedGrant && t.stands() && !w.givesUp() {
		w.fail("the slot is given back while something stands")
	}
	for i := range after.Attempts {
		a := &after.Attempts[i]
		if a.Step == "" || a.Number < 1 {
			w.fail("attempt %+v would be refused by the API", a)
		}
		had := attemptOf(&before, a.Number)
		replaces := t.stepOf(a).Action == v1alpha1.ActionReplace && !w.f.Machine.Gone && !w.f.Machine.Deleting()
		if replaces && a.Begun() && (had == nil || !had.Begun()) {
			w.fail("the machine still exists, and its replacement has begun: %+v", a)
		}
	}
	if after.CompletionTime != nil {
		w.checkEnd(t, after)
	}
	c, want := Progress(&after), metav1.ConditionTrue
	switch {
	case before.Phase == after.Phase && Progress(&before) == c:
		want = c.Status
	case after.Phase == v1alpha1.RemediationHeld || after.Phase == v1alpha1.RemediationEnded || c.Reason == v1alpha1.ReasonApprovalRequired:
		want = metav1.ConditionFalse
	case c.Reason == v1alpha1.ReasonPaused || c.Reason == v1alpha1.ReasonOnHold:
		want = metav1.ConditionUnknown
	case c.Reason == v1alpha1.ReasonDeletionOverdue:
		// A pause does not delay a deletion, so the record still says that it is overdue.
		if stopped, _ := t.stop(); stopped != "" {
			want = metav1.ConditionUnknown
		}
	}
	if c.Status != want {
		w.fail("Progressing is %s in phase %s, reason %s", c.Status, after.Phase, c.Reason)
	}
}

// givesUp reports whether nothing waits any more for a request that cannot be read.
func (w *look) givesUp() bool {
	d := &draft{f: w.f, now: w.now, s: *w.f.Record.Status.DeepCopy()}
	d.noteUnreadable()
	return d.gaveUp()
}

// checkEnd holds of the write that ends a record.
func (w *look) checkEnd(t *draft, after v1alpha1.MachineRemediationStatus) {
	if after.Phase != v1alpha1.RemediationEnded || len(after.Conditions) != 2 {
		w.fail("the end is not said: %+v", after)
	}
	if !w.f.Safety.Terminating.IsSet() && t.stands() && !w.givesUp() {
		w.fail("the record ends while something stands")
	}
	succeeded := meta.FindStatusCondition(after.Conditions, v1alpha1.ConditionSucceeded)
	if succeeded.Reason != v1alpha1.ReasonHandedBack && t.markStands() && !t.answerDue().IsZero() {
		w.fail("the record ends while the owner says that it deletes the machine")
	}
	for i := range after.Attempts {
		if a := after.Attempts[i]; a.Result == "" || a.EndTime == nil {
			w.fail("the record ends, and attempt %d does not: %+v", a.Number, a)
		}
	}
}

// checkRest holds of a record that has settled: one that does not act has no slot, and what is waited for has a name or
// an end.
func (w *look) checkRest(d Decision) {
	s := w.f.Record.Status
	switch s.Phase {
	case v1alpha1.RemediationPending, v1alpha1.RemediationHeld:
		owner := &draft{f: w.f, s: s, now: w.now}
		slot := HasSlot(w.f.Record) && !NeedsNoSlot(w.f.Record) && !owner.goesForUs()
		if slot || w.stands() || atWork(&s) != nil {
			w.fail("phase %s, with a slot, or something that stands or is at work", s.Phase)
		}
	case v1alpha1.RemediationActing:
		if atWork(&s) == nil && !w.stands() {
			w.fail("phase %s, and nothing is at work or stands", s.Phase)
		}
		// A withdrawal that has failed is tried again, and the attempt looked at then.
		retried := w.f.Safety.Stuck != ""
		if stopped, _ := w.f.Safety.stop(w.now); atWork(&s) != nil && s.StoppedTime == nil && stopped == "" && d.RecheckAt.IsZero() && !retried &&
			!w.f.Machine.Deleting() && !w.goesOnAsking() {
			w.fail("an attempt is at work, and nothing ends it: %+v", Last(&s))
		}
	case v1alpha1.RemediationProbation:
		if stopped, _ := w.f.Safety.stop(w.now); d.RecheckAt.IsZero() && stopped == "" {
			w.fail("a probation that nothing ends: %+v", s)
		}
	default:
	}
	w.checkLine()
	w.checkUnbegun()
	if c := Progress(&s); c.Reason != "" && c.Message == "" {
		w.fail("it does not say what it waits for: %+v", s)
	}
}

// goesOnAsking reports whether the record asks for as long as it takes: a built-in plan where nobody waits for the slot.
func (w *look) goesOnAsking() bool {
	return w.f.Record.Spec.BuiltIn() && !w.f.Bounded && Progress(&w.f.Record.Status).Reason == v1alpha1.ReasonRefused
}

// checkUnbegun holds of what nobody has begun: it does not stand under a pause, nor keep a slot that others wait for beyond its time.
func (w *look) checkUnbegun() {
	s := w.f.Record.Status
	t := &draft{f: w.f, s: s, now: w.now}
	stopped, _ := t.stop()
	request, attempt := w.f.Request, atWork(&s)
	if w.f.Safety.Stuck != "" || w.f.Machine.Gone || w.f.Machine.Deleting() || (request != nil && request.Deleting) {
		return
	}
	if stopped != "" && t.stands() && w.now.After(t.answerDue()) && (attempt == nil || !t.begun(attempt)) {
		w.fail("it stands under a pause, and nobody has begun it")
	}
	if attempt != nil && Acts(t.stepOf(attempt).Action) && !t.begun(attempt) && w.f.Bounded && HasSlot(w.f.Record) && w.now.After(attempt.StartTime.Add(busyTime)) {
		w.fail("an attempt keeps its slot, and nobody has begun it since %s", attempt.StartTime)
	}
}

// checkLine holds that a record says that it waits for a slot if and only if it gets one when it is its turn.
func (w *look) checkLine() {
	reason := Progress(&w.f.Record.Status).Reason
	says := reason == v1alpha1.ReasonNoSlot || reason == v1alpha1.ReasonPaced
	wants, at := WantsSlot(w.f.Record, w.now)
	if (wants && !says) || (says && !wants && at.IsZero()) {
		w.fail("it says %s, and wants a slot: %v %s", reason, wants, at)
	}
}

// stands reports whether anything of the record is on the machine that should not outlast it.
func (w *look) stands() bool {
	t := &draft{f: w.f, s: w.f.Record.Status, now: w.now}
	return t.stands()
}

func attemptOf(s *v1alpha1.MachineRemediationStatus, number int32) *v1alpha1.RemediationAttempt {
	for i := range s.Attempts {
		if s.Attempts[i].Number == number {
			return &s.Attempts[i]
		}
	}
	return nil
}

func numbersOf(s v1alpha1.MachineRemediationStatus) []int32 {
	var all []int32
	for i := range s.Attempts {
		all = append(all, s.Attempts[i].Number)
	}
	return all
}

func increases(numbers []int32) bool {
	for i := 1; i < len(numbers); i++ {
		if numbers[i] <= numbers[i-1] {
			return false
		}
	}
	return !slices.Contains(numbers, 0)
}
