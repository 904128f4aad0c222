package explain_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
)

// repaired returns a record that was admitted a minute after the verdict, acted a second later, and whose machine became healthy
// the given time after that.
func repaired(name, machine, host, outcome string, heals time.Duration, attempts ...v1alpha1.RemediationAttempt) v1alpha1.MachineRemediation {
	admitted := explaintest.Noon.Add(-time.Hour)
	at := func(d time.Duration) *metav1.Time { return new(metav1.NewTime(admitted.Add(d))) }
	r := v1alpha1.MachineRemediation{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, CreationTimestamp: *at(0)},
		Spec: v1alpha1.MachineRemediationSpec{
			ClusterName: "c", MachineRef: v1alpha1.RemediatedMachineReference{Name: machine},
			Finding: v1alpha1.RemediationFinding{Reason: "ReadyUnhealthy", Since: *at(-time.Minute)},
		},
		Status: v1alpha1.MachineRemediationStatus{
			Phase: v1alpha1.RemediationEnded, RecoveryTime: at(time.Second + heals), CompletionTime: at(time.Hour), Attempts: attempts,
			Conditions: []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Reason: outcome}},
		},
	}
	if host != "" {
		r.Spec.HostRef = &v1alpha1.RemediationReference{Name: host}
	}
	for i := range attempts {
		attempts[i].StartTime, attempts[i].BeganAt = at(time.Second), at(time.Second)
		attempts[i].ObjectRef = &v1alpha1.RemediationObjectReference{Kind: "RebootRemediation"}
	}
	return r
}

func tried(step string, result v1alpha1.AttemptResult) v1alpha1.RemediationAttempt {
	return v1alpha1.RemediationAttempt{Step: step, Result: result}
}

func TestHistory(t *testing.T) {
	open := v1alpha1.MachineRemediation{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "later", CreationTimestamp: metav1.NewTime(explaintest.Noon)},
		Status:     v1alpha1.MachineRemediationStatus{Phase: v1alpha1.RemediationPending},
	}
	old := repaired("old", "m0", "", v1alpha1.ReasonRecovered, 0)
	old.CreationTimestamp = metav1.NewTime(explaintest.Noon.Add(-48 * time.Hour))
	unaided := repaired("unaided", "m2", "", v1alpha1.ReasonRecoveredUnaided, time.Minute)
	got := explain.History([]v1alpha1.MachineRemediation{
		old, repaired("first", "m1", "h1", v1alpha1.ReasonRecovered, 5*time.Minute, tried("reboot", v1alpha1.ResultTimedOut), tried("reboot", v1alpha1.ResultSucceeded)), unaided, open,
	}, explaintest.Noon.Add(-2*time.Hour))
	admitted := explaintest.Noon.Add(-time.Hour)
	want := []explain.Repair{
		{Namespace: "default", Name: "later", Admitted: explaintest.Noon, Outcome: "Pending"},
		{
			Namespace: "default", Cluster: "c", Machine: "m1", Host: "h1", Name: "first", Reason: "ReadyUnhealthy", Detected: admitted.Add(-time.Minute), Admitted: admitted,
			Acted: new(admitted.Add(time.Second)), Healthy: new(admitted.Add(5*time.Minute + time.Second)), Outcome: "Recovered", Succeeded: true,
			Attempts: []explain.Attempt{{Step: "reboot", Result: "TimedOut"}, {Step: "reboot", Result: "Succeeded"}},
		},
		{
			Namespace: "default", Cluster: "c", Machine: "m2", Name: "unaided", Reason: "ReadyUnhealthy", Detected: admitted.Add(-time.Minute), Admitted: admitted,
			Healthy: new(admitted.Add(time.Minute + time.Second)), Outcome: "RecoveredUnaided",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSum: what a person asked for is no statistics. A repair whose plan ends when the machine is gone counts as tried, and not as helped: nobody knows.
func TestSum(t *testing.T) {
	var records []v1alpha1.MachineRemediation
	proven := repaired("r", "m4", "", v1alpha1.ReasonReplaced, time.Hour, tried("replace", v1alpha1.ResultSucceeded))
	proven.Spec.TemplateRef = &v1alpha1.PlanReference{Name: "metal"}
	asked := repaired("r", "m1", "h1", v1alpha1.ReasonDone, time.Minute, tried("reboot", v1alpha1.ResultSucceeded))
	asked.Spec.RequestedBy = &v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByPerson, Name: "ann"}
	for i := range 100 {
		records = append(records, repaired("r", "m1", "h1", v1alpha1.ReasonRecovered, time.Duration(i+1)*time.Second, tried("reboot", v1alpha1.ResultSucceeded)))
	}
	records = append(records,
		repaired("r", "m2", "", v1alpha1.ReasonReplaced, time.Hour, tried("reboot", v1alpha1.ResultTimedOut), tried("replace", v1alpha1.ResultSucceeded)),
		proven,
		repaired("r", "m3", "", v1alpha1.ReasonUnproven, time.Hour, tried("reboot", v1alpha1.ResultAborted)),
		asked, v1alpha1.MachineRemediation{Status: v1alpha1.MachineRemediationStatus{Phase: v1alpha1.RemediationHeld}})
	want := explain.Stats{
		APIVersion: explain.APIVersion, Kind: "RepairStatistics", Repairs: 104, Open: 1, Outcomes: map[string]int{"Recovered": 100, "Replaced": 2, "Unproven": 1}, Unproven: 1,
		Times: []explain.Times{{"admit", 102, 60, 60, 60}, {"act", 102, 1, 1, 1}, {"heal", 101, 51, 91, 100}, {"all", 101, 112, 152, 161}},
		Steps: []explain.StepStats{{Step: "reboot", Tried: 101, Helped: 100}, {Step: "replace", Tried: 2, Helped: 1, Unproven: 1}},
		Again: []explain.Again{{"host", "default", "h1", 100}, {"machine", "default", "m1", 100}},
	}
	if diff := cmp.Diff(want, explain.Sum(explain.History(records, time.Time{}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
