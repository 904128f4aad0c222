package explaintest

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
)

// Past adds n ended repairs to a fleet: most of them helped, and some machines were repaired more than once.
func Past(f *explain.Facts, n int) *explain.Facts {
	outcomes := []string{
		v1alpha1.ReasonRecovered, v1alpha1.ReasonRecovered, v1alpha1.ReasonReplaced, v1alpha1.ReasonRecoveredUnaided, v1alpha1.ReasonRecovered, v1alpha1.ReasonReplacementFailed,
	}
	for i := range n {
		admitted := f.Now.Add(-time.Duration(i*i%(6*24*60)+90) * time.Minute)
		f.Records = append(f.Records, &explain.Record{Record: ended(i, admitted, outcomes[i%len(outcomes)])})
	}
	return f
}

func ended(i int, admitted time.Time, outcome string) *v1alpha1.MachineRemediation {
	at := func(d time.Duration) *metav1.Time { return new(metav1.NewTime(admitted.Add(d))) }
	took := time.Duration(3+i*7%19) * time.Minute
	machine := fmt.Sprintf("gone-%d", i*i%17)
	r := &v1alpha1.MachineRemediation{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("%s-%08x-1", machine, i), CreationTimestamp: *at(0)},
		Spec: v1alpha1.MachineRemediationSpec{
			ClusterName: "blue", MachineRef: v1alpha1.RemediatedMachineReference{Name: machine}, Steps: Metal(), TemplateRef: &v1alpha1.PlanReference{Name: "metal"},
			Finding: v1alpha1.RemediationFinding{Reason: "ReadyUnhealthy", Message: "Node condition Ready is Unknown for more than 5m0s", Since: *at(-20 * time.Second)},
		},
		Status: v1alpha1.MachineRemediationStatus{Phase: v1alpha1.RemediationEnded, RecoveryTime: at(took), CompletionTime: at(took + 5*time.Minute)},
	}
	r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue, Reason: outcome, LastTransitionTime: *at(took + 5*time.Minute)}}
	if outcome == v1alpha1.ReasonRecoveredUnaided {
		return r
	}
	step, result := "reboot", v1alpha1.ResultSucceeded
	if outcome == v1alpha1.ReasonReplaced {
		step = "replace"
	}
	if outcome == v1alpha1.ReasonReplacementFailed {
		step, result = "replace", v1alpha1.ResultFailed
	}
	r.Status.Step = step
	r.Status.Attempts = []v1alpha1.RemediationAttempt{{
		Number: 1, Step: step, StartTime: at(5 * time.Second), BeganAt: at(5 * time.Second), EndTime: at(took), Result: result,
		ObjectRef: &v1alpha1.RemediationObjectReference{Kind: "RebootRemediation", Name: r.Name + "-1"},
	}}
	return r
}
