package ladder

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// recovered lets no further step begin while the machine is healthy. What stands is withdrawn, and the machine has to stay
// healthy for the time of the probation.
func (t *turn) recovered() bool {
	if t.f.Machine.Health != Healthy || t.f.Machine.Deleting() {
		return false
	}
	if t.s.RecoveryTime == nil {
		t.s.RecoveryTime = t.time()
	}
	if attempt := atWork(&t.s); attempt != nil {
		t.suspend(attempt)
		if t.stands() {
			return t.say(v1alpha1.RemediationActing, v1alpha1.ReasonWithdrawing, "The machine is healthy; takes back what was asked for")
		}
	}
	due := t.s.RecoveryTime.Add(t.f.Record.Spec.Probation())
	if t.now.Before(due) {
		t.s.NextTransitionTime = t.after(due.Sub(t.time().Time))
		return t.say(v1alpha1.RemediationProbation, v1alpha1.ReasonProbation, "The machine is healthy, and has to stay so")
	}
	return t.proven()
}

// suspend closes an attempt whose machine is healthy, and leaves its result to the probation.
func (t *turn) suspend(attempt *v1alpha1.RemediationAttempt) {
	attempt.EndTime = t.time()
	t.s.NextTransitionTime, t.s.StoppedTime = nil, nil
	if attempt.ObjectRef == nil {
		attempt.Result, attempt.Message = v1alpha1.ResultUnneeded, "The machine has recovered"
	}
}

// proven ends the record of a machine that has stayed healthy.
func (t *turn) proven() bool {
	if last := latest(&t.s); last != nil && last.Result == "" {
		last.Result, last.Message = v1alpha1.ResultSucceeded, "The machine is healthy"
	}
	switch {
	case t.cancelled():
		return t.complete(v1alpha1.ReasonCancelled, "The machine is healthy; the remediation was cancelled")
	case t.repaired():
		return t.complete(v1alpha1.ReasonRecovered, "The machine is healthy")
	}
	return t.complete(v1alpha1.ReasonRecoveredUnaided, "The machine is healthy, and nothing was done")
}

func (t *turn) cancelled() bool {
	last := latest(&t.s)
	d := decision(t.f.Record)
	return (last != nil && last.Result == v1alpha1.ResultCancelled) || (d != nil && d.Answer == v1alpha1.AnswerCancel)
}

// repaired reports whether a repair was tried: evidence, and time, repair nothing.
func (t *turn) repaired() bool {
	for i := range t.s.Attempts {
		if t.s.Attempts[i].ObjectRef == nil {
			continue
		}
		step, _ := stepNamed(t.f.Record, t.s.Attempts[i].Step)
		if acts(step.Action) && step.DoneWhen != v1alpha1.DoneWhenRequestSucceeded {
			return true
		}
	}
	return false
}

// unproven goes on with a machine that has been healthy since the last attempt, and is not for certain now.
func (t *turn) unproven() bool {
	last := latest(&t.s)
	proving := last != nil && last.EndTime != nil && last.Result == ""
	if t.s.RecoveryTime == nil && !proving {
		return false
	}
	if t.f.Machine.Health == Sick {
		return t.relapsed(last, proving)
	}
	t.s.RecoveryTime = nil
	t.s.NextTransitionTime = nil
	if !proving {
		return false
	}
	step, _ := stepNamed(t.f.Record, last.Step)
	limit := last.EndTime.Add(step.Timeout() + 2*t.f.Record.Spec.Probation())
	if !t.now.Before(limit) {
		last.Result, last.Message = v1alpha1.ResultFailed, "The machine was not seen healthy for long enough"
		return t.complete(v1alpha1.ReasonUnproven, "What was done could not be proven to help: the machine was not seen healthy for long enough")
	}
	t.recheck(limit)
	return t.say(v1alpha1.RemediationProbation, v1alpha1.ReasonUndecided, "Waits until the machine is seen healthy again")
}

// relapsed goes back to where it stood. An attempt that seemed to have helped has failed.
func (t *turn) relapsed(last *v1alpha1.RemediationAttempt, proving bool) bool {
	t.s.RecoveryTime, t.s.NextTransitionTime = nil, nil
	if proving {
		t.end(last, v1alpha1.ResultFailed, "The machine fell sick again in its probation")
	}
	return t.next()
}
