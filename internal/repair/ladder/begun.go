package ladder

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

const (
	// crossing is how long after the withdrawal of a mark its owner may still delete the machine because of it: owners act on what their
	// caches show.
	crossing = time.Minute
	// quickDeletion is how long the deletion of a machine may take before a built-in plan stores when it began. Most are over by then, and the
	// end is stored anyway.
	quickDeletion = 30 * time.Second
)

// stored returns a time as the API stores it; nil if it is zero.
func stored(at time.Time) *metav1.Time {
	if at.IsZero() {
		return nil
	}
	return new(metav1.NewTime(at.Truncate(time.Second)))
}

// Begun reports whether the attempt at work of a record has begun, whether that is stored or not.
func Begun(f Facts, now time.Time) bool {
	d := draft{f: f, now: now, s: f.Record.Status}
	attempt := atWork(&d.s)
	return attempt != nil && d.begun(attempt)
}

// begun reports whether the one who carries an attempt out has begun, whether that is stored or not.
func (d *draft) begun(attempt *v1alpha1.RemediationAttempt) bool {
	return !d.beganAt(attempt, attempt.BeganAt).IsZero()
}

// beganAt returns when an attempt began: the time that is stored, or what is seen now; zero if it has not begun.
func (d *draft) beganAt(attempt *v1alpha1.RemediationAttempt, known *metav1.Time) time.Time {
	m, request := d.f.Machine, d.f.Request
	action := d.stepOf(attempt).Action
	switch {
	case known != nil:
		return known.Time
	case attempt.ObjectRef == nil:
		return time.Time{}
	case action == v1alpha1.ActionReplace:
		return d.deletedFor(attempt, m)
	case request == nil || request.OperationID != attempt.OperationID:
		return time.Time{}
	case action == v1alpha1.ActionReboot:
		return request.BeganAt
	}
	return d.now
}

// deletedFor returns when the machine was deleted for an attempt. The deletion of a machine that went unseen may have begun as soon as it was
// asked for. Of an attempt that was withdrawn, it is the deletion while the mark stood, or while the owner may not have seen that it went.
func (d *draft) deletedFor(attempt *v1alpha1.RemediationAttempt, m Machine) time.Time {
	at := m.DeletingSince
	switch {
	case !m.Gone && !m.Deleting():
		return time.Time{}
	case attempt.EndTime == nil:
		return d.deletedAtWork(attempt, m)
	case m.Gone:
		at = d.now
	}
	stood := attempt.Result == v1alpha1.ResultWithdrawn || (m.Mark.Ours && m.Mark.Stands())
	if !stood && at.After(attempt.EndTime.Add(crossing)) {
		return time.Time{}
	}
	return at
}

// deletedAtWork returns when the machine was deleted for the attempt at work.
func (d *draft) deletedAtWork(attempt *v1alpha1.RemediationAttempt, m Machine) time.Time {
	switch {
	case m.Deleting():
		return m.DeletingSince
	case d.f.Record.Spec.BuiltIn():
		// Its deletion was short enough not to be stored.
		return d.now
	}
	return attempt.StartTime.Time
}

// noteBeginning stores when an attempt began. The time of its step runs from then on.
func (d *draft) noteBeginning(attempt *v1alpha1.RemediationAttempt, step v1alpha1.RemediationStep, at time.Time) {
	attempt.BeganAt = stored(at)
	from := at
	if d.f.Machine.Gone {
		// Nobody saw when it was deleted, and its successor has the whole time.
		from = d.now
	}
	d.s.NextTransitionTime = stored(from.Truncate(time.Second).Add(step.Timeout()))
}

// notice stores the effect of the act of the attempt at work, and when it began.
func (d *draft) notice(attempt *v1alpha1.RemediationAttempt) {
	step := d.stepOf(attempt)
	if attempt.ObjectRef == nil {
		attempt.ObjectRef = d.seen(step, attempt.OperationID, true)
	}
	at := d.beganAt(attempt, attempt.BeganAt)
	if at.IsZero() || attempt.Begun() {
		return
	}
	if step.Action == v1alpha1.ActionReplace && d.soonGone() {
		d.recheck(d.f.Machine.DeletingSince.Add(quickDeletion))
		return
	}
	d.noteBeginning(attempt, step, at)
}

// soonGone reports whether the deletion of a machine may be over before anybody needs to know that it has begun: with a built-in plan, nothing is
// stored of it meanwhile.
func (d *draft) soonGone() bool {
	m, attempt := d.f.Machine, atWork(&d.s)
	if attempt != nil && attempt.Begun() {
		return false
	}
	return d.f.Record.Spec.BuiltIn() && m.Owner != nil && m.Deleting() && d.now.Before(m.DeletingSince.Add(quickDeletion))
}

// longestAsking is how long Sickbay asks for a step that nobody begins, before a person must decide.
const longestAsking = 24 * time.Hour

// sameAsking is the longest time between two attempts that nobody began and that count as one row of them.
const sameAsking = time.Hour

// takeBack ends an attempt that is not wanted any more. If nobody has begun it, that is said once what it asked for is withdrawn.
func (d *draft) takeBack(attempt *v1alpha1.RemediationAttempt, message string) {
	kept := d.s.StoppedBy == byHost
	if d.begun(attempt) {
		attempt.BeganAt = stored(d.beganAt(attempt, attempt.BeganAt))
		d.end(attempt, v1alpha1.ResultAborted, message)
		return
	}
	d.end(attempt, v1alpha1.ResultWithdrawn, message)
	if !d.stands() && !d.gaveUp() {
		d.end(attempt, v1alpha1.ResultNotBegun, message)
		d.joinNotBegun(kept)
	} else if kept {
		d.s.StoppedBy = byHost
	}
}

// askedForADay reports whether Sickbay has asked for a step for so long, without a longer break, that a person must decide. The built-in plans
// go on asking, and other health checks go on asking an owner; a power cycle that somebody asked for is not waited for any longer. A person who has
// just approved the step has decided.
func (d *draft) askedForADay(step v1alpha1.RemediationStep) bool {
	last := Last(&d.s)
	asksOn := d.f.Record.Spec.BuiltIn() && (!d.f.Record.Spec.AskedFor() || step.Action == v1alpha1.ActionReplace)
	if last == nil || !endedNotBegun(*last) || last.Step != step.Name || asksOn || allows(d.personsDecision()) {
		return false
	}
	return !d.now.Before(last.StartTime.Add(longestAsking)) && d.now.Sub(last.EndTime.Time) <= sameAsking
}

// sameRow returns the entry that the last attempt goes on with, as nobody began that either; nil if it begins a new row, as one does that a person
// asked for. All that a person has approved at once is one row, however long the breaks are, so that it shows when the approval is a day old.
func (d *draft) sameRow() *v1alpha1.RemediationAttempt {
	n := len(d.s.Attempts)
	if n < 2 {
		return nil
	}
	before, last := &d.s.Attempts[n-2], &d.s.Attempts[n-1]
	fresh := last.Decision != nil && last.Decision.Attempt == last.Number
	if !endedNotBegun(*before) || before.Step != last.Step || fresh {
		return nil
	}
	if !d.needsApproval(last) && last.StartTime.Sub(before.EndTime.Time) > sameAsking {
		return nil
	}
	return before
}

func (d *draft) needsApproval(attempt *v1alpha1.RemediationAttempt) bool {
	return d.stepOf(attempt).NeedsApproval()
}

// joinNotBegun makes one entry of the last attempt and the one before it, if nobody began either. One that waited for somebody who keeps the host
// does not count for how long Sickbay has asked: that has no end. But it does for how old an approval is.
func (d *draft) joinNotBegun(kept bool) {
	before, last := d.sameRow(), Last(&d.s)
	if before == nil {
		return
	}
	last.Count = max(1, before.Count) + 1
	if !kept || d.needsApproval(last) {
		last.StartTime = before.StartTime
	}
	if last.ObjectRef == nil && last.EndTime.Sub(before.EndTime.Time) < crossing {
		// The owner that was asked before may still answer.
		last.ObjectRef = before.ObjectRef
	}
	n := len(d.s.Attempts)
	d.s.Attempts = append(d.s.Attempts[:n-2], *last)
}

// settleWithdrawal says that nobody began the last attempt, once nothing of it stands any more. If somebody began it in that very moment, it
// is opened again, or ends as one that had begun.
func (d *draft) settleWithdrawal() {
	last, kept := Last(&d.s), d.s.StoppedBy == byHost
	if last == nil || last.Begun() || !mayHaveBegun(last.Result) {
		return
	}
	switch began := d.beganAt(last, nil); {
	case !began.IsZero() && d.stepOf(last).Action == v1alpha1.ActionReplace:
		d.reopen(last, began)
	case !began.IsZero():
		last.BeganAt = stored(began)
		d.end(last, v1alpha1.ResultAborted, last.Message)
	case last.Result == v1alpha1.ResultWithdrawn && !d.stands() && !d.gaveUp():
		// Until now, somebody could begin it.
		last.EndTime = d.time()
		d.end(last, v1alpha1.ResultNotBegun, last.Message)
		d.joinNotBegun(kept)
		d.rest(Last(&d.s))
	}
}

// mayHaveBegun reports whether somebody may have begun an attempt with that result while Sickbay took it back.
func mayHaveBegun(result v1alpha1.AttemptResult) bool {
	return result == v1alpha1.ResultWithdrawn || result == v1alpha1.ResultNotBegun || result == v1alpha1.ResultImpossible
}

// reopen goes on with an attempt whose owner deleted the machine while Sickbay withdrew the mark. It takes no slot.
func (d *draft) reopen(attempt *v1alpha1.RemediationAttempt, began time.Time) {
	attempt.EndTime, attempt.Result, attempt.Message = nil, "", ""
	d.s.Attempt, d.s.Step = attempt.Number, attempt.Step
	d.s.RecoveryTime = nil
	d.noteBeginning(attempt, d.stepOf(attempt), began)
}
