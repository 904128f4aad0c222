package ladder

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// maxAttempts is how many attempts a record remembers.
const maxAttempts = 64

// say sets the phase, and what the condition Progressing says of it.
func (t *turn) say(phase v1alpha1.RemediationPhase, reason, message string) bool {
	t.s.Phase = phase
	status := metav1.ConditionTrue
	if phase == v1alpha1.RemediationHeld || phase == v1alpha1.RemediationEnded {
		status = metav1.ConditionFalse
	}
	t.condition(v1alpha1.ConditionProgressing, status, reason, message)
	return true
}

func (t *turn) condition(conditionType string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&t.s.Conditions, metav1.Condition{
		Type: conditionType, Status: status, Reason: reason, Message: message,
		ObservedGeneration: t.f.Record.Generation, LastTransitionTime: *t.time(),
	})
}

// complete ends the record.
func (t *turn) complete(reason, message string) bool {
	t.s.CompletionTime = t.time()
	t.s.NextTransitionTime, t.s.StoppedTime = nil, nil
	status := metav1.ConditionFalse
	switch reason {
	case v1alpha1.ReasonRecovered, v1alpha1.ReasonRecoveredUnaided, v1alpha1.ReasonReplaced:
		status = metav1.ConditionTrue
	}
	t.condition(v1alpha1.ConditionSucceeded, status, reason, message)
	t.d.RecheckAt = time.Time{}
	return t.say(v1alpha1.RemediationEnded, v1alpha1.ReasonEnded, message)
}

// begin opens an attempt of a step. Its clock runs from now on.
func (t *turn) begin(step v1alpha1.RemediationStep) *v1alpha1.RemediationAttempt {
	t.s.Attempt = max(1, t.s.Attempt)
	t.s.Step = step.Name
	if t.s.StartTime == nil {
		t.s.StartTime = t.time()
	}
	t.s.StoppedTime = nil
	t.s.NextTransitionTime = t.after(step.Timeout())
	t.s.Attempts = append(t.s.Attempts, v1alpha1.RemediationAttempt{
		Number: t.s.Attempt, Step: step.Name, OperationID: OperationID(t.f.Record, t.s.Attempt),
		StartTime: t.time(), Decision: t.decisionFor(step),
	})
	if over := len(t.s.Attempts) - maxAttempts; over > 0 {
		t.s.Attempts = t.s.Attempts[over:]
	}
	return latest(&t.s)
}

// end closes the attempt at work with a result, and says which step follows. What stands of it is withdrawn next.
func (t *turn) end(attempt *v1alpha1.RemediationAttempt, result v1alpha1.AttemptResult, message string) {
	if attempt.EndTime == nil {
		attempt.EndTime = t.time()
	}
	attempt.Result, attempt.Message = result, message
	t.s.NextTransitionTime, t.s.StoppedTime = nil, nil
	step, ok := stepNamed(t.f.Record, attempt.Step)
	if !ok {
		t.s.Attempt++
		return
	}
	t.follow(step)
}
