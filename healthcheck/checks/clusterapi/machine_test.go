package clusterapi_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/checks/clusterapi"
)

func TestMachine(t *testing.T) {
	machine := func(node string, ready metav1.ConditionStatus, changes ...func(*clusterv1.Machine)) *clusterv1.Machine {
		m := &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Generation: 1}}
		m.Status.NodeRef.Name, m.Status.ObservedGeneration = node, 1
		if ready != "" {
			m.Status.Conditions = []metav1.Condition{{Type: clusterv1.MachineReadyCondition, Status: ready, Reason: "NotReady", Message: "* NodeHealthy: Node is gone"}}
		}
		for _, change := range changes {
			change(m)
		}
		return m
	}
	checked := func(status metav1.ConditionStatus) func(*clusterv1.Machine) {
		return func(m *clusterv1.Machine) {
			m.Status.Conditions = append(m.Status.Conditions, metav1.Condition{Type: clusterv1.MachineHealthCheckSucceededCondition, Status: status, Reason: "NodeStartupTimeout"})
		}
	}
	deleting := func(m *clusterv1.Machine) { m.DeletionTimestamp = new(metav1.Now()) }
	newer := func(m *clusterv1.Machine) { m.Generation = 2 }
	created := func(m *clusterv1.Machine) { m.CreationTimestamp = metav1.NewTime(noon) }
	const text = "Condition Ready is False (NotReady): * NodeHealthy: Node is gone"
	judge(t, clusterapi.Machine, map[string]row[*clusterv1.Machine]{
		"ready":           {machine("n", metav1.ConditionTrue), passes},
		"just created":    {machine("n", metav1.ConditionFalse, created), starts("NotReady", text)},
		"not ready":       {machine("n", metav1.ConditionFalse), fails("NotReady", text)},
		"nobody has told": {machine("n", ""), fails("NotReady", "Condition Ready is missing")},
		"new":             {machine("", ""), progresses(20*time.Minute, clusterapi.ReasonProvisioning, "Machine has no Node yet. Condition Ready is missing")},
		"being made":      {machine("", metav1.ConditionFalse), progresses(20*time.Minute, clusterapi.ReasonProvisioning, "Machine has no Node yet. "+text)},
		"given up":        {machine("", metav1.ConditionFalse, checked(metav1.ConditionFalse)), fails("NotHealthCheckSucceeded", "Condition HealthCheckSucceeded is False (NodeStartupTimeout)")},
		"being checked":   {machine("n", metav1.ConditionTrue, checked(metav1.ConditionUnknown)), passes},
		"deleting":        {machine("n", metav1.ConditionFalse, checked(metav1.ConditionFalse), deleting), progresses(checks.DrainedWithin, clusterapi.ReasonDeleting, "Machine is being deleted")},
		"not observed":    {machine("n", metav1.ConditionTrue, newer), notObserved("Observed generation is 1, not 2")},
	})
}

func TestMachineSet(t *testing.T) {
	set := func(replicas, ready *int32) *clusterv1.MachineSet {
		s := &clusterv1.MachineSet{ObjectMeta: metav1.ObjectMeta{Generation: 1}, Spec: clusterv1.MachineSetSpec{Replicas: replicas}}
		s.Status.ReadyReplicas, s.Status.ObservedGeneration = ready, 1
		return s
	}
	outdated := set(ptr.To[int32](0), nil)
	outdated.Generation = 2
	judge(t, clusterapi.MachineSet, map[string]row[*clusterv1.MachineSet]{
		"healthy":      {set(ptr.To[int32](2), ptr.To[int32](2)), passes},
		"scaled down":  {set(ptr.To[int32](0), nil), passes},
		"too few":      {set(ptr.To[int32](2), ptr.To[int32](1)), fails(checks.ReasonReplicasNotReady, "Fewer than 2 Machines are ready")},
		"default":      {set(nil, nil), fails(checks.ReasonReplicasNotReady, "Fewer than 1 Machines are ready")},
		"not observed": {outdated, notObserved("Observed generation is 1, not 2")},
	})
}

func TestMachineDeployment(t *testing.T) {
	// Three Machines are wanted. All is how many exist, and upToDate how many of these are
	// up to date.
	machines := func(all, upToDate int32, conditions ...metav1.Condition) *clusterv1.MachineDeployment {
		return &clusterv1.MachineDeployment{
			ObjectMeta: metav1.ObjectMeta{Generation: 4}, Spec: clusterv1.MachineDeploymentSpec{Replicas: ptr.To[int32](3)},
			Status: clusterv1.MachineDeploymentStatus{ObservedGeneration: 4, Replicas: &all, UpToDateReplicas: &upToDate, Conditions: conditions},
		}
	}
	created := func(d *clusterv1.MachineDeployment) *clusterv1.MachineDeployment {
		d.CreationTimestamp = metav1.NewTime(noon)
		return d
	}
	available := metav1.Condition{Type: clusterv1.MachineDeploymentAvailableCondition, Status: metav1.ConditionTrue}
	unavailable := metav1.Condition{Type: clusterv1.MachineDeploymentAvailableCondition, Status: metav1.ConditionFalse, Reason: "NotAvailable", Message: "1 available replicas, at least 2 required"}
	rolling := metav1.Condition{Type: clusterv1.MachineDeploymentRollingOutCondition, Status: metav1.ConditionTrue, Reason: "RollingOut"}
	outdated := machines(3, 3, available)
	outdated.Generation = 5
	const text = "Condition Available is False (NotAvailable): 1 available replicas, at least 2 required"
	judge(t, clusterapi.MachineDeployment, map[string]row[*clusterv1.MachineDeployment]{
		"available":    {machines(3, 1, available, rolling), passes},
		"unavailable":  {machines(3, 3, unavailable), fails("NotAvailable", text)},
		"new":          {&clusterv1.MachineDeployment{}, fails("NotAvailable", "Condition Available is missing")},
		"not observed": {outdated, notObserved("Observed generation is 4, not 5")},
	})
	since := func(ready int32, at time.Time, d *clusterv1.MachineDeployment) *clusterv1.MachineDeployment {
		d.Status.AvailableReplicas, d.Status.Conditions[0].LastTransitionTime = &ready, metav1.NewTime(at)
		return d
	}
	byHand := func(d *clusterv1.MachineDeployment) *clusterv1.MachineDeployment {
		d.Spec.Rollout.Strategy.Type = clusterv1.OnDeleteMachineDeploymentStrategyType
		return d
	}
	all := func(d *clusterv1.MachineDeployment) *clusterv1.MachineDeployment {
		d.Status.AvailableReplicas = d.Spec.Replicas
		return d
	}
	rollsOut := func(left int, text string) healthcheck.Result {
		r := rollsOut("revision 4", text)
		r.Within, r.Left = 20*time.Minute, left
		return r
	}
	down := func(left int) healthcheck.Result {
		r := starts("NotAvailable", text)
		r.Within, r.Left = 20*time.Minute, left
		return r
	}
	hourAgo := down(2)
	hourAgo.Deadline = noon.Add(-40 * time.Minute)
	judge(t, clusterapi.MachineDeploymentRolledOut, map[string]row[*clusterv1.MachineDeployment]{
		"rolled out":               {all(machines(3, 3, available)), passes},
		"rolling out":              {all(machines(3, 1, available)), rollsOut(2*2+2*2, "Fewer than 3 Machines are up to date")},
		"old are left":             {all(machines(4, 3, available)), rollsOut(2+1, "Old Machines are left")},
		"scaled down":              {all(machines(5, 5, available)), rollsOut(2, "More than 3 Machines are left")},
		"says so":                  {all(machines(3, 3, available, rolling)), rollsOut(0, "Condition RollingOut is True (RollingOut)")},
		"by hand":                  {byHand(all(machines(3, 1, available, rolling))), passes},
		"by hand, one is missing":  {byHand(machines(2, 1, available)), rollsOut(2*2+2*1+3, "Fewer than 3 Machines are there")},
		"one may be unavailable":   {since(2, noon, machines(3, 3, available)), rollsOut(1, "Fewer than 3 Machines are available")},
		"scaled up":                {since(1, noon, machines(3, 3, unavailable)), down(2)},
		"scaled up, none are made": {since(1, noon, machines(1, 1, unavailable)), down(2*2 + 2)},
		"down for an hour":         {since(1, noon.Add(-time.Hour), machines(3, 3, unavailable)), hourAgo},
		"all are down, rolling":    {since(0, noon, machines(3, 1, unavailable)), fails("NotAvailable", text)},
		"nobody knows since when":  {machines(3, 3, unavailable), fails("NotAvailable", text)},
		"just created":             {created(machines(1, 1, unavailable)), down(2*2 + 3)},
	})
	judge(t, clusterapi.MachineDeployment, map[string]row[*clusterv1.MachineDeployment]{
		"availability alone": {created(machines(1, 1, unavailable)), fails("NotAvailable", text)},
	})
}

// TestScaleDownAdvances: Machines that are being deleted count until they are drained, and each one that is gone leaves less to do.
func TestScaleDownAdvances(t *testing.T) {
	left := func(all int32) int {
		d := &clusterv1.MachineDeployment{Spec: clusterv1.MachineDeploymentSpec{Replicas: new(int32(3))}}
		d.Status.Replicas, d.Status.UpToDateReplicas, d.Status.AvailableReplicas = &all, &all, &all
		d.Status.Conditions = []metav1.Condition{{Type: clusterv1.MachineDeploymentAvailableCondition, Status: metav1.ConditionTrue}}
		return clusterapi.MachineDeploymentRolledOut(d).Left
	}
	for all := int32(4); all < 20; all++ {
		if fewer, more := left(all), left(all+1); fewer <= 0 || fewer >= more {
			t.Errorf("with %d Machines of 3 %d is left, with one more %d", all, fewer, more)
		}
	}
}

// TestStarting: after its time, the failure is reported as usual.
func TestStarting(t *testing.T) {
	d := &clusterv1.MachineDeployment{ObjectMeta: metav1.ObjectMeta{Generation: 1, CreationTimestamp: metav1.NewTime(noon)}}
	const text = "Condition Available is missing"
	for after, want := range map[time.Duration]healthcheck.Result{20*time.Minute - 1: starts("NotAvailable", text), 20 * time.Minute: {
		Status: healthcheck.False, Reason: "NotAvailable", Message: text, Deadline: noon.Add(20 * time.Minute),
	}} {
		d.Status.ObservedGeneration = 1
		want.Within, want.Left = 20*time.Minute, 3
		if diff := cmp.Diff(want, clusterapi.MachineDeploymentRolledOut(d).At(noon.Add(after))); diff != "" {
			t.Errorf("after %s (-want +got)\n%s", after, diff)
		}
	}
}

// TestTextsDoNotCount: the text stays the same while a roll-out advances.
func TestTextsDoNotCount(t *testing.T) {
	texts := func(done int32) []string {
		set := &clusterv1.MachineSet{Spec: clusterv1.MachineSetSpec{Replicas: new(int32(5))}, Status: clusterv1.MachineSetStatus{ReadyReplicas: &done}}
		d := &clusterv1.MachineDeployment{Spec: clusterv1.MachineDeploymentSpec{Replicas: new(int32(5))}}
		d.Status.Conditions = []metav1.Condition{{Type: clusterv1.MachineDeploymentAvailableCondition, Status: metav1.ConditionTrue}}
		updating, leaving := d.DeepCopy(), d.DeepCopy()
		updating.Status.UpToDateReplicas = &done
		leaving.Status.UpToDateReplicas, leaving.Status.Replicas = new(int32(5)), new(6+done)
		return []string{
			clusterapi.MachineSet(set).Message, clusterapi.MachineDeploymentRolledOut(updating).Message, clusterapi.MachineDeploymentRolledOut(leaving).Message,
			clusterapi.EnoughNodes(clusterapi.Workers{Desired: 5, Workers: slices.Repeat([]clusterapi.Worker{a}, int(done))}).Message,
			clusterapi.NoSurplusNodes(clusterapi.Workers{Desired: 1, Workers: slices.Repeat([]clusterapi.Worker{a}, 2+int(done))}).Message,
		}
	}
	if diff := cmp.Diff(texts(0), texts(2)); diff != "" {
		t.Errorf("the texts count (-first +later)\n%s", diff)
	}
}

// noon is when objects are created.
var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// starts returns the result for a problem of a new object, Progressing until its time is
// over.
func starts(reason, message string) healthcheck.Result {
	return healthcheck.Result{Status: healthcheck.Progressing, Deadline: noon.Add(20 * time.Minute), Reason: reason, Overdue: reason, Message: message}
}
