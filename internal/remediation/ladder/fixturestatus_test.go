package ladder

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// waits has the record wait for an attempt of a step, with a slot.
func waits(step string, attempt int32) change {
	return func(f *Facts) {
		f.Record.Status.Phase, f.Record.Status.Step, f.Record.Status.Attempt = v1alpha1.RemediationPending, step, attempt
	}
}

// begins adds an attempt whose act is not to be seen yet. It began some time ago.
func begins(step string, before time.Duration) change {
	return func(f *Facts) {
		s := &f.Record.Status
		s.Phase, s.Step, s.Attempt = v1alpha1.RemediationActing, step, int32(len(s.Attempts)+1)
		s.StartTime = ago(before)
		s.Attempts = append(s.Attempts, v1alpha1.RemediationAttempt{
			Number: s.Attempt, Step: step, OperationID: OperationID(f.Record, s.Attempt), StartTime: ago(before),
		})
		at, _ := stepNamed(f.Record, step)
		s.NextTransitionTime = ago(before - at.Timeout())
	}
}

// works adds an attempt that has acted, some time ago, and has what it made stand.
func works(step string, before time.Duration) change {
	return func(f *Facts) {
		begins(step, before)(f)
		last := latest(&f.Record.Status)
		at, _ := stepNamed(f.Record, step)
		switch {
		case at.Action == v1alpha1.ActionReplace && f.Machine.Owner != nil:
			last.ObjectRef = f.Machine.Owner
			f.Machine.Mark = Mark{State: MarkWaiting, Ours: true}
		case at.Action == v1alpha1.ActionReplace:
			last.ObjectRef = thing("Machine", "md-0-x7")
			f.Machine.DeletingSince = noon.Add(-before)
		case at.Action == v1alpha1.ActionReboot && builtIn(f.Record):
			last.ObjectRef = thing("Machine", "md-0-x7")
			f.Machine.RebootOperation, f.Machine.RebootStands = last.OperationID, true
		case at.Action == v1alpha1.ActionReboot:
			made("RebootRemediation")(f)
		case at.Action == v1alpha1.ActionRequest:
			made("Fix")(f)
		}
	}
}

// made has a request stand that the latest attempt has made.
func made(kind string) change {
	return func(f *Facts) {
		last := latest(&f.Record.Status)
		last.ObjectRef = thing(kind, fmt.Sprintf("r-%d", last.Number))
		f.Request = &Request{OperationID: last.OperationID, Ref: *last.ObjectRef}
	}
}

func thing(kind, name string) *v1alpha1.RemediationObjectReference {
	return &v1alpha1.RemediationObjectReference{APIVersion: "v1", Kind: kind, Name: name, UID: "u-1"}
}

// over ends the latest attempt, and nothing of it is left. The record waits for an attempt of a step.
func over(result v1alpha1.AttemptResult, next string) change {
	return func(f *Facts) {
		s := &f.Record.Status
		last := latest(s)
		last.EndTime, last.Result, last.Message = ago(time.Minute), result, "It did not help"
		s.Phase, s.Step, s.Attempt, s.NextTransitionTime = v1alpha1.RemediationPending, next, last.Number+1, nil
		if next == "" {
			s.Phase = v1alpha1.RemediationHeld
		}
		f.Request, f.Machine.Mark, f.Machine.RebootStands = nil, Mark{}, false
	}
}

// recovering has the latest attempt end, some time ago, as the machine is healthy.
func recovering(before time.Duration) change {
	return func(f *Facts) {
		s := &f.Record.Status
		f.Machine.Health, f.Machine.Mark, f.Machine.RebootStands, f.Request = Healthy, Mark{}, false, nil
		s.Phase, s.RecoveryTime, s.NextTransitionTime = v1alpha1.RemediationProbation, ago(before), ago(before-f.Record.Spec.Probation())
		if last := latest(s); last != nil && last.EndTime == nil {
			last.EndTime = ago(before)
		}
	}
}

// completed ends the record.
func completed(f *Facts) {
	f.Record.Status.Phase, f.Record.Status.CompletionTime = v1alpha1.RemediationEnded, ago(time.Minute)
}

// said is what the record says of its progress, for an hour.
func said(status metav1.ConditionStatus, reason, message string) change {
	return func(f *Facts) {
		meta.SetStatusCondition(&f.Record.Status.Conditions, metav1.Condition{
			Type: v1alpha1.ConditionProgressing, Status: status, Reason: reason, Message: message,
			ObservedGeneration: 1, LastTransitionTime: *ago(time.Hour),
		})
	}
}

// decides has a person answer about the attempt in question.
func decides(answer v1alpha1.Answer, step string) change {
	return func(f *Facts) {
		f.Record.Generation = 2
		f.Record.Spec.Decision = &v1alpha1.RemediationDecision{
			Attempt: max(1, f.Record.Status.Attempt), Answer: answer, Step: step, By: "ann",
		}
	}
}
