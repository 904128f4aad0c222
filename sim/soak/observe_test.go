package soak

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
)

// machine returns a Machine with conditions.
func machine(conditions ...metav1.Condition) *clusterv1.Machine {
	return &clusterv1.Machine{
		ObjectMeta: metav1.ObjectMeta{Namespace: machine1.Namespace, Name: machine1.Name}, Spec: clusterv1.MachineSpec{ClusterName: cluster1.Name},
		Status: clusterv1.MachineStatus{Conditions: conditions},
	}
}

func verdict(status metav1.ConditionStatus) metav1.Condition {
	return metav1.Condition{Type: clusterv1.MachineHealthCheckSucceededCondition, Status: status, Reason: "Because", Message: "look"}
}

func TestLedgerHasTheLifeOfAMachine(t *testing.T) {
	c := newLedger()
	marked := metav1.Condition{Type: clusterv1.MachineOwnerRemediatedCondition, Status: metav1.ConditionFalse, Reason: "WaitingForRemediation"}
	var asked []bool
	for _, state := range []*clusterv1.Machine{
		machine(), machine(verdict(metav1.ConditionTrue)), machine(verdict(metav1.ConditionFalse)), machine(verdict(metav1.ConditionFalse)),
		machine(verdict(metav1.ConditionFalse), marked), machine(verdict(metav1.ConditionFalse), marked),
	} {
		asked = append(asked, c.seen(state, false))
	}
	if diff := cmp.Diff([]bool{false, false, false, false, true, false}, asked); diff != "" {
		t.Error("asked its owner: ", diff)
	}
	c.seen(machine(), true)
	want := &Record{
		Cluster: cluster1, Called: []Saying{{What: "look"}}, Marked: Saying{What: "look"}, Verdict: "HealthCheckSucceeded is False, Because: look",
	}
	if diff := cmp.Diff(want, c.Machines[machine1], cmpopts.IgnoreTypes(time.Time{})); diff != "" {
		t.Error(diff)
	}
	if r := c.Machines[machine1]; r.Gone.IsZero() || r.Marked.At.IsZero() {
		t.Errorf("it is not written down when it happened: %+v", r)
	}
}

func TestLedgerHasWhatHealthChecksSay(t *testing.T) {
	c := newLedger()
	for _, reason := range []string{"", clusterv1.MachineHealthCheckTooManyUnhealthyReason, "NoneSick"} {
		mhc := &clusterv1.MachineHealthCheck{
			ObjectMeta: metav1.ObjectMeta{Namespace: cluster1.Namespace, Name: "any"}, Spec: clusterv1.MachineHealthCheckSpec{ClusterName: cluster1.Name},
		}
		mhc.Status.Conditions = []metav1.Condition{
			{Type: clusterv1.MachineHealthCheckRemediationAllowedCondition, Status: metav1.ConditionFalse, Reason: reason},
			{Type: clusterv1.PausedCondition, Status: map[bool]metav1.ConditionStatus{true: metav1.ConditionTrue, false: metav1.ConditionFalse}[reason == ""]},
		}
		c.healthCheckSeen(mhc)
	}
	for _, fact := range []Fact{SaysRestricted, SaysPaused} {
		if spans := c.Times[About{fact, cluster1}]; len(spans) != 1 || spans[0].To.IsZero() {
			t.Errorf("%q: %v, not once and over", fact, spans)
		}
	}
}

// repair returns a MachineRemediation in a phase.
func repair(phase v1alpha1.RemediationPhase) *v1alpha1.MachineRemediation {
	r := &v1alpha1.MachineRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: machine1.Namespace, Name: "machine1-1"}}
	r.Spec.ClusterName, r.Spec.MachineRef.Name = cluster1.Name, machine1.Name
	r.Spec.Steps = []v1alpha1.RemediationStep{{Name: "watch", Action: v1alpha1.ActionWait}, {Name: "replace", Action: v1alpha1.ActionReplace}}
	r.Status.Phase, r.Status.Step = phase, "replace"
	if phase == v1alpha1.RemediationEnded {
		r.Status.CompletionTime = new(metav1.Now())
		return r
	}
	r.Labels = map[string]string{v1alpha1.OpenLabel: ""}
	return r
}

func TestLedgerHasRepairs(t *testing.T) {
	about := About{SaysWaiting, machine1}
	watching := repair(v1alpha1.RemediationActing)
	watching.Status.Step = "watch"
	ended := repair(v1alpha1.RemediationEnded)
	ended.Labels = map[string]string{v1alpha1.OpenLabel: ""}
	c := newLedger()
	for _, step := range []struct {
		name        string
		state       *v1alpha1.MachineRemediation
		gone        bool
		open, waits bool
	}{
		{"new", repair(""), false, true, false},
		{"watched", watching, false, true, true},
		{"waiting", repair(v1alpha1.RemediationPending), false, true, true},
		{"at work", repair(v1alpha1.RemediationActing), false, true, false},
		{"held", repair(v1alpha1.RemediationHeld), false, true, true},
		{"ended, and not closed", ended, false, false, false},
		{"closed", repair(v1alpha1.RemediationEnded), false, false, false},
		{"open when it was deleted", repair(v1alpha1.RemediationActing), true, false, false},
	} {
		c.repaired(step.state, step.gone)
		if got := c.Machines[machine1].underRepair(); got != step.open {
			t.Errorf("%s: open is %t", step.name, got)
		}
		spans := c.Times[about]
		if got := len(spans) > 0 && spans[len(spans)-1].To.IsZero(); got != step.waits {
			t.Errorf("%s: waiting is %t", step.name, got)
		}
	}
	if got := c.Machines[machine1]; len(got.Repairs) != 1 || got.Cluster != cluster1 {
		t.Errorf("%+v", got)
	}
}

func TestLedgerHasTheMachinesInLine(t *testing.T) {
	long := "5 of 9 machines not healthy (5 sick); 1 of at most 1 remediations in flight: machine1"
	for message, want := range map[string]bool{
		"": false, long: false, long + "; 1 waits for a slot: machine1": true, long + "; 2 wait for a slot: a, machine1": true,
		long + "; 1 waits for a slot: machine1-2": false, long + "; 1 is paced: machine1 (MachineSet ms cools down)": true,
		long + "; 11 are paced: a, b and 9 more": true, long + "; 1 is held back: machine1": false,
	} {
		c := newLedger()
		c.seen(machine(), false)
		mhc := &clusterv1.MachineHealthCheck{ObjectMeta: metav1.ObjectMeta{Namespace: cluster1.Namespace}, Spec: clusterv1.MachineHealthCheckSpec{ClusterName: cluster1.Name}}
		mhc.Status.Conditions = []metav1.Condition{{Type: clusterv1.MachineHealthCheckRemediationAllowedCondition, Status: metav1.ConditionTrue, Message: message}}
		c.healthCheckSeen(mhc)
		if got := c.holds(About{SaysQueued, machine1}); got != want {
			t.Errorf("%q: waiting is %t", message, got)
		}
	}
}

func TestLedgerHasWhatIsLeft(t *testing.T) {
	m := fleet.Machine{ObjectKey: machine1, Cluster: cluster1}
	c := newLedger()
	restrict := func(so bool) { c.set(About{SaysRestricted, cluster1}, so) }
	for _, step := range []struct {
		name string
		do   func()
		left bool
	}{
		{"nothing", func() {}, false},
		{"new", func() { c.seen(machine(), false) }, true},
		{"healthy", func() { c.seen(machine(verdict(metav1.ConditionTrue)), false) }, false},
		{"sick", func() { c.sick(m, Lost, at(0)) }, true},
		{"sick, with a reason", func() { restrict(true) }, false},
		{"sick, without any more", func() { restrict(false) }, true},
		{"recovered", func() { c.healed(m) }, false},
		{"recovered, and that is unknown", func() { c.seen(machine(verdict(metav1.ConditionUnknown)), false) }, true},
		{"sick again", func() { c.sick(m, Gone, at(0)) }, true},
		{"being replaced", func() { c.released(m) }, true},
		{"replaced", func() { c.seen(machine(), true) }, false},
		{"replaced, and its record is open", func() { c.repaired(repair(v1alpha1.RemediationActing), false) }, true},
		{"and over", func() { c.repaired(repair(v1alpha1.RemediationEnded), false) }, false},
		{"closed", func() { c.close(); c.sick(fleet.Machine{ObjectKey: cluster1}, Gone, at(0)) }, false},
	} {
		step.do()
		want := []client.ObjectKey{machine1}
		if !step.left {
			want = nil
		}
		if got := c.unsettled(); !slices.Equal(got, want) {
			t.Fatalf("%s: %v is left, want %v", step.name, got, want)
		}
	}
}
