package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// replaced decides about a machine that is gone as this record has asked. By a built-in plan that is all. By others, the
// successor has to be healthy and stay so.
func (t *turn) replaced(attempt *v1alpha1.RemediationAttempt) bool {
	if builtIn(t.f.Record) || !hasSuccessor(attempt.ObjectRef.Kind) {
		t.end(attempt, v1alpha1.ResultSucceeded, "The machine is gone")
		return t.complete(v1alpha1.ReasonReplaced, "The machine is gone")
	}
	t.runClock(attempt)
	successor := t.f.Successor
	switch {
	case successor == nil:
		return t.awaitSuccessor(attempt)
	case successor.Gone:
		t.s.ReplacementRef = successor.Record
		t.end(attempt, v1alpha1.ResultFailed, "Its successor "+successor.Name+" is gone, too")
		return t.complete(v1alpha1.ReasonReplacementFailed, "Its successor "+successor.Name+" is gone, too")
	case successor.Health == Sick:
		t.s.ReplacementRef = successor.Record
		t.end(attempt, v1alpha1.ResultFailed, "Its successor "+successor.Name+" is sick, too")
		return t.complete(v1alpha1.ReasonReplacementFailed, "Its successor "+successor.Name+" is sick, too")
	case successor.Health == Healthy:
		return t.proveSuccessor(attempt, successor)
	}
	return t.awaitSuccessor(attempt)
}

// hasSuccessor reports whether an owner of that kind puts another machine in the place of one that it deletes.
func hasSuccessor(ownerKind string) bool {
	return ownerKind == "MachineSet" || ownerKind == "KubeadmControlPlane"
}

// awaitSuccessor waits for a healthy successor, for the time of the step and twice the probation.
func (t *turn) awaitSuccessor(attempt *v1alpha1.RemediationAttempt) bool {
	limit := t.proofDue()
	if !t.now.Before(limit) {
		t.end(attempt, v1alpha1.ResultTimedOut, "No healthy machine has taken its place in time")
		return t.complete(v1alpha1.ReasonUnproven, "The machine is gone, and no healthy machine has taken its place in time")
	}
	t.recheck(limit)
	if t.f.Successor == nil {
		return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonWaitingForReplacement, "The machine is gone; waits for a machine in its place")
	}
	return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonWaitingForReplacement, "Waits for machine "+t.f.Successor.Name+" in its place to be healthy")
}

func (t *turn) proveSuccessor(attempt *v1alpha1.RemediationAttempt, successor *Successor) bool {
	due := successor.HealthySince.Add(t.f.Record.Spec.Probation())
	if t.now.Before(due) {
		t.recheck(due)
		return t.say(v1alpha1.RemediationProbation, v1alpha1.ReasonProbation, "Machine "+successor.Name+" in its place is healthy, and has to stay so")
	}
	t.s.RecoveryTime = t.time()
	t.end(attempt, v1alpha1.ResultSucceeded, "Machine "+successor.Name+" is in its place")
	return t.complete(v1alpha1.ReasonReplaced, "Machine "+successor.Name+" is in its place")
}

// proofDue is until when an attempt has to prove itself: its deadline and twice the probation.
func (t *turn) proofDue() time.Time {
	if t.s.NextTransitionTime == nil {
		return t.now
	}
	return t.s.NextTransitionTime.Add(2 * t.f.Record.Spec.Probation())
}
