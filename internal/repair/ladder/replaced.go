package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/healthcheck"
)

// replaced decides about a machine that is gone as this record asked. A built-in plan ends there. Other plans wait until the
// successor has stayed healthy.
func (d *draft) replaced(attempt *v1alpha1.RemediationAttempt) bool {
	switch {
	case d.cancels():
		attempt.Decision = d.personsDecision()
		d.end(attempt, v1alpha1.ResultCancelled, answerBy(d.personsDecision()))
		return d.complete(v1alpha1.ReasonCancelled, "The machine is gone; the remediation was cancelled")
	case d.f.Record.Spec.BuiltIn() || attempt.ObjectRef.IsMachine():
		return d.replacedBy(attempt, "The machine is gone")
	case d.noSuccessor() != "":
		d.end(attempt, v1alpha1.ResultUnneeded, d.noSuccessor())
		return d.complete(v1alpha1.ReasonMachineDeleted, "The machine is gone, and nothing replaces it: "+d.noSuccessor())
	case d.whyHandedBack() != "":
		d.end(attempt, v1alpha1.ResultAborted, d.whyHandedBack())
		return d.complete(v1alpha1.ReasonHandedBack, d.whyHandedBack())
	case d.waitStopped():
		return true
	}
	return d.followSuccessor(attempt)
}

// followSuccessor follows the successor. It stores which machine that is, so that no other record claims it.
func (d *draft) followSuccessor(attempt *v1alpha1.RemediationAttempt) bool {
	successor := d.f.Successor
	if successor != nil {
		d.s.ReplacementRef = successor.Record
	}
	if successor == nil || successor.Gone || successor.Health != Healthy {
		d.s.RecoveryTime = nil
	}
	switch {
	case successor == nil:
		return d.awaitSuccessor(attempt)
	case successor.Health == Sick:
		return d.successorFailed(attempt, "is sick, too")
	case successor.Gone:
		// Scaled down or rolled out: that proves nothing, and the next machine of the owner counts.
		d.f.Successor, d.s.ReplacementRef = nil, nil
		return d.awaitSuccessor(attempt)
	case successor.Health == Healthy && !successor.HealthySince.IsZero():
		return d.proveSuccessor(attempt)
	}
	return d.awaitSuccessor(attempt)
}

// noSuccessor says why no machine replaces the one that is gone.
func (d *draft) noSuccessor() string {
	if d.f.Safety.Terminating.IsSet() {
		return d.f.Safety.Terminating.String()
	}
	return d.f.NoSuccessor
}

// waitStopped stops the clock while the record is stopped.
func (d *draft) waitStopped() bool {
	reason, message := d.stop()
	if reason == "" {
		return false
	}
	d.stopClock(byPause)
	return d.say(v1alpha1.RemediationActing, reason, message)
}

func (d *draft) replacedBy(attempt *v1alpha1.RemediationAttempt, message string) bool {
	d.end(attempt, v1alpha1.ResultSucceeded, message)
	return d.complete(v1alpha1.ReasonReplaced, message)
}

func (d *draft) successorFailed(attempt *v1alpha1.RemediationAttempt, how string) bool {
	message := "Its successor " + d.f.Successor.Name + " " + how
	d.end(attempt, v1alpha1.ResultFailed, message)
	return d.complete(v1alpha1.ReasonReplacementFailed, message)
}

// awaitSuccessor waits for a healthy successor, for the timeout of the step plus twice the probation.
func (d *draft) awaitSuccessor(attempt *v1alpha1.RemediationAttempt) bool {
	limit := d.proofDue(d.runClock(attempt, d.stepOf(attempt)))
	if !d.now.Before(limit) && d.f.Successor == nil && d.f.SuccessorUnknown {
		d.end(attempt, v1alpha1.ResultUnneeded, "The machine is gone")
		return d.complete(v1alpha1.ReasonMachineDeleted, "The machine is gone, and Sickbay cannot tell whether its owner replaces it")
	}
	if !d.now.Before(limit) {
		d.end(attempt, v1alpha1.ResultTimedOut, "No healthy replacement appeared in time")
		return d.complete(v1alpha1.ReasonUnproven, "The machine is gone, and no healthy replacement appeared in time")
	}
	d.recheck(limit)
	message := "The machine is gone; waiting for its replacement"
	if d.f.Successor != nil {
		message = "Waiting for its replacement " + d.f.Successor.Name + " to be healthy"
	}
	return d.say(v1alpha1.RemediationActing, v1alpha1.ReasonWaitingForReplacement, message)
}

// proveSuccessor ends the record once the successor has been healthy for the probation.
func (d *draft) proveSuccessor(attempt *v1alpha1.RemediationAttempt) bool {
	since := d.f.Successor.HealthySince.Truncate(time.Second)
	if since.After(d.now) {
		// By the clock of another leader: until then it counts from the first look.
		if d.s.RecoveryTime == nil {
			d.s.RecoveryTime = d.time()
		}
		since = d.s.RecoveryTime.Time
	}
	since = healthcheck.Latest(since, d.lastPause())
	if d.s.StoppedBy == byPause {
		// Nobody has judged the successor during the pause that ends now.
		since = d.time().Time
	}
	d.runClock(attempt, d.stepOf(attempt))
	if due := since.Add(d.f.Record.Spec.Probation()); d.now.Before(due) {
		d.recheck(due)
		return d.say(v1alpha1.RemediationProbation, v1alpha1.ReasonProbation, "Machine "+d.f.Successor.Name+" has replaced it, is healthy and has to stay healthy")
	}
	return d.replacedBy(attempt, "Machine "+d.f.Successor.Name+" has replaced it")
}

// ReplacedUnchecked reports whether a record ended as soon as its machine was gone: with a built-in plan, or if nobody owns the machine, nothing waits for a
// replacement. Its last attempt did what it should, but nobody knows whether that helped.
func ReplacedUnchecked(r *v1alpha1.MachineRemediation) bool {
	last := Last(&r.Status)
	return Ended(r) && Success(&r.Status).Reason == v1alpha1.ReasonReplaced && last != nil &&
		(r.Spec.BuiltIn() || last.ObjectRef.IsMachine())
}
