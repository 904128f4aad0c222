package ladder

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// checkDecision holds of any decision by itself, whatever was read: what may never be done is not done, and what is done was
// stored before.
func checkDecision(w interface{ fail(string, ...any) }, d Decision) {
	if d.Rule == "" {
		w.fail("no rule has decided")
	}
	if d.Store && d.Act != None {
		w.fail("%s together with a write of the status", d.Act)
	}
	if m, ok := w.(*model); ok {
		m.checkAct(d)
		if !d.Store && d.Act == None && !d.RecheckAt.IsZero() && !d.RecheckAt.After(m.now) {
			w.fail("looks again at %s, which is past", d.RecheckAt)
		}
	}
}

// checkAct holds of every act.
func (w *model) checkAct(d Decision) {
	f, s := w.f, w.f.Record.Status
	if s.CompletionTime != nil && (d.Store || (d.Act != None && d.Act != Close)) {
		w.fail("the record has ended, and goes on: %+v", d)
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
	m, safety := f.Machine, f.Safety
	if reason, _ := safety.stop(w.now); m.Health != Sick || m.Gone || m.Deleting() || reason != "" || safety.Unmanaged != "" ||
		safety.HeldByOthers != "" || safety.OthersAtWork != "" || safety.Misconfigured != "" || safety.KeptOff != "" || safety.GateClosed != "" || safety.OverBudget != "" || !f.Record.DeletionTimestamp.IsZero() {
		w.fail("%s on a machine that must not be touched", d.Act)
	}
	if !HasSlot(f.Record) {
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

// checkStore holds of every write of the status.
func (w *model) checkStore(d Decision) {
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
		replaces := !w.unrelated && t.stepOf(a).Action == v1alpha1.ActionReplace && !w.f.Machine.Gone && !w.f.Machine.Deleting()
		if replaces && (a.Begun() || (a.Result != "" && a.Result.Counts() && !w.taken)) {
			w.fail("the machine still exists, and its replacement counts: %+v", a)
		}
	}
	if after.CompletionTime != nil {
		w.checkEnd(t, after)
	}
	c, want := Progress(&after), metav1.ConditionTrue
	switch {
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
func (w *model) givesUp() bool {
	d := &draft{f: w.f, now: w.now, s: *w.f.Record.Status.DeepCopy()}
	d.noteUnreadable()
	return d.gaveUp()
}

// checkEnd holds of the write that ends a record.
func (w *model) checkEnd(t *draft, after v1alpha1.MachineRemediationStatus) {
	if after.Phase != v1alpha1.RemediationEnded || len(after.Conditions) != 2 {
		w.fail("the end is not said: %+v", after)
	}
	if w.f.Safety.Terminating == "" && t.stands() && !w.givesUp() {
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
func (w *model) checkRest(d Decision) {
	s := w.f.Record.Status
	switch s.Phase {
	case v1alpha1.RemediationPending, v1alpha1.RemediationHeld:
		owner := &draft{f: w.f, s: s, now: w.now}
		if (HasSlot(w.f.Record) && !owner.ownerDeletes()) || w.stands() || atWork(&s) != nil {
			w.fail("phase %s, with a slot, or something that stands or is at work", s.Phase)
		}
	case v1alpha1.RemediationActing:
		if atWork(&s) == nil && !w.stands() {
			w.fail("phase %s, and nothing is at work or stands", s.Phase)
		}
		if stopped, _ := w.f.Safety.stop(w.now); atWork(&s) != nil && s.StoppedTime == nil && stopped == "" && d.RecheckAt.IsZero() &&
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
	if message := Progress(&s).Message; message == "" {
		w.fail("it does not say what it waits for: %+v", s)
	}
}

// checkOrder holds of every act: nothing goes past a step that nobody has begun, unless it never can begin, or a person or a rule says so.
func (w *model) checkOrder(d Decision) {
	first, ok := first(w.f.Record)
	if w.jumped || w.taken || !ok {
		return
	}
	for _, step := range w.f.Record.Spec.Steps[indexOf(w.f.Record, first.Name):indexOf(w.f.Record, d.Step.Name)] {
		if Acts(step.Action) && !slices.ContainsFunc(w.f.Record.Status.Attempts, func(a v1alpha1.RemediationAttempt) bool {
			return a.Step == step.Name && (a.Begun() || a.Result == v1alpha1.ResultImpossible)
		}) {
			w.fail("%s, and nobody has begun step %s", d.Act, step.Name)
		}
	}
}

// goesOnAsking reports whether the record asks for as long as it takes: a built-in plan where nobody waits for the slot.
func (w *model) goesOnAsking() bool {
	return builtIn(w.f.Record) && !w.f.Bounded && Progress(&w.f.Record.Status).Reason == v1alpha1.ReasonRefused
}

// checkUnbegun holds of what nobody has begun: it does not stand under a pause, nor keep a slot that others wait for beyond its time.
func (w *model) checkUnbegun() {
	s := w.f.Record.Status
	t := &draft{f: w.f, s: s, now: w.now}
	stopped, _ := t.stop()
	request, attempt := w.f.Request, atWork(&s)
	if w.closed || w.f.Safety.Stuck != "" || w.f.Machine.Gone || w.f.Machine.Deleting() || (request != nil && request.Deleting) {
		return
	}
	if stopped != "" && t.stands() && w.now.After(t.answerDue()) && (attempt == nil || !t.begun(attempt)) {
		w.fail("it stands under a pause, and nobody has begun it")
	}
	if attempt != nil && !t.begun(attempt) && w.f.Bounded && HasSlot(w.f.Record) && w.now.After(attempt.StartTime.Add(busyTime)) {
		w.fail("an attempt keeps its slot, and nobody has begun it since %s", attempt.StartTime)
	}
}

// checkLine holds that a record says that it waits for a slot if and only if it gets one when it is its turn.
func (w *model) checkLine() {
	reason := Progress(&w.f.Record.Status).Reason
	says := reason == v1alpha1.ReasonNoSlot || reason == v1alpha1.ReasonPaced
	wants, at := WantsSlot(w.f.Record, w.now)
	if (wants && !says) || (says && !wants && at.IsZero()) {
		w.fail("it says %s, and wants a slot: %v %s", reason, wants, at)
	}
}

// stands reports whether anything of the record is on the machine that should not outlast it.
func (w *model) stands() bool {
	t := &draft{f: w.f, s: w.f.Record.Status, now: w.now}
	return t.stands()
}
