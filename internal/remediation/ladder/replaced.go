package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// replaced decides about a machine that is gone as this record asked. A built-in plan ends there. Other plans wait until the
// successor has stayed healthy.
func (t *turn) replaced(attempt *v1alpha1.RemediationAttempt) bool {
	switch {
	case t.cancels():
		attempt.Decision = t.personsDecision()
		t.end(attempt, v1alpha1.ResultCancelled, answerBy(t.personsDecision()))
		return t.complete(v1alpha1.ReasonCancelled, "The machine is gone; the remediation was cancelled")
	case builtIn(t.f.Record) || !hasSuccessor(attempt.ObjectRef.Kind):
		return t.replacedBy(attempt, "The machine is gone")
	case t.noSuccessor() != "":
		t.end(attempt, v1alpha1.ResultUnneeded, t.noSuccessor())
		return t.complete(v1alpha1.ReasonMachineDeleted, "The machine is gone, and no other takes its place: "+t.noSuccessor())
	case t.whyHandedBack() != "":
		t.end(attempt, v1alpha1.ResultAborted, t.whyHandedBack())
		return t.complete(v1alpha1.ReasonHandedBack, t.whyHandedBack())
	case t.waitStopped():
		return true
	}
	return t.followSuccessor(attempt)
}

// followSuccessor follows the successor. It stores which machine that is, so that no other record claims it.
func (t *turn) followSuccessor(attempt *v1alpha1.RemediationAttempt) bool {
	successor := t.f.Successor
	if successor != nil {
		t.s.ReplacementRef = successor.Record
	}
	switch {
	case successor == nil:
		return t.awaitSuccessor(attempt)
	case successor.Gone:
		return t.successorFailed(attempt, "is gone, too")
	case successor.Health == Sick:
		return t.successorFailed(attempt, "is sick, too")
	case successor.Health == Healthy && !successor.HealthySince.IsZero():
		return t.proveSuccessor(attempt)
	}
	return t.awaitSuccessor(attempt)
}

// hasSuccessor reports whether an owner of that kind replaces a machine that it deletes.
func hasSuccessor(ownerKind string) bool {
	return ownerKind == "MachineSet" || ownerKind == "KubeadmControlPlane"
}

// noSuccessor says why no machine replaces the one that is gone.
func (t *turn) noSuccessor() string {
	if t.f.Safety.Terminating != "" {
		return t.f.Safety.Terminating
	}
	return t.f.NoSuccessor
}

// waitStopped stops the clock while the record is stopped.
func (t *turn) waitStopped() bool {
	reason, message := t.stop()
	if reason == "" {
		return false
	}
	t.stopClock(byPause)
	return t.say(v1alpha1.RemediationActing, reason, message)
}

func (t *turn) replacedBy(attempt *v1alpha1.RemediationAttempt, message string) bool {
	t.end(attempt, v1alpha1.ResultSucceeded, message)
	return t.complete(v1alpha1.ReasonReplaced, message)
}

func (t *turn) successorFailed(attempt *v1alpha1.RemediationAttempt, how string) bool {
	message := "Its successor " + t.f.Successor.Name + " " + how
	t.end(attempt, v1alpha1.ResultFailed, message)
	return t.complete(v1alpha1.ReasonReplacementFailed, message)
}

// awaitSuccessor waits for a healthy successor, for the timeout of the step plus twice the probation.
func (t *turn) awaitSuccessor(attempt *v1alpha1.RemediationAttempt) bool {
	limit := t.proofDue(t.runClock(attempt, t.stepOf(attempt)))
	if !t.now.Before(limit) {
		t.end(attempt, v1alpha1.ResultTimedOut, "No healthy machine has taken its place in time")
		return t.complete(v1alpha1.ReasonUnproven, "The machine is gone, and no healthy machine has taken its place in time")
	}
	t.recheck(limit)
	message := "The machine is gone; waits for a machine in its place"
	if t.f.Successor != nil {
		message = "Waits for machine " + t.f.Successor.Name + " in its place to be healthy"
	}
	return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonWaitingForReplacement, message)
}

// proveSuccessor ends the record once the successor has been healthy for the probation.
func (t *turn) proveSuccessor(attempt *v1alpha1.RemediationAttempt) bool {
	since := latestOf(t.f.Successor.HealthySince.Truncate(time.Second), t.lastPause())
	if t.s.StoppedBy == byPause {
		// Nobody has judged the successor during the pause that ends now.
		since = t.time().Time
	}
	t.runClock(attempt, t.stepOf(attempt))
	if due := since.Add(t.f.Record.Spec.Probation()); t.now.Before(due) {
		t.recheck(due)
		return t.say(v1alpha1.RemediationProbation, v1alpha1.ReasonProbation, "Machine "+t.f.Successor.Name+" in its place is healthy, and has to stay so")
	}
	return t.replacedBy(attempt, "Machine "+t.f.Successor.Name+" is in its place")
}
