package machinehealth

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// TestContract has each row of Cluster API's table of transitions of HealthCheckSucceeded on a Machine, to the letter: owners, dashboards and
// people read reasons and messages.
func TestContract(t *testing.T) {
	const generation = 2
	notJoined := func(f *harness) {
		f.machine = build.Machine(f.machine.Namespace, "not-joined")
		build.Create(t.Context(), t, f.env.Client, f.machine)
		f.start = f.machine.CreationTimestamp.Time
	}
	notReady := func(status metav1.ConditionStatus) func(*harness) {
		return func(f *harness) { f.nodes.Put(f.clusterKey(), build.Node("node", build.NodeReady(status, f.start))) }
	}
	gone := func(f *harness) { f.nodes.Remove(f.clusterKey(), "node") }
	for _, row := range []struct {
		guard   string
		is      func(*harness)
		after   time.Duration
		status  metav1.ConditionStatus
		reason  string
		message string
		requeue time.Duration
	}{
		{
			"machine has cluster.x-k8s.io/remediate-machine annotation",
			func(f *harness) {
				change(f, f.machine, func(m *clusterv1.Machine) {
					m.Annotations = map[string]string{clusterv1.RemediateMachineAnnotation: ""}
				})
			},
			0, metav1.ConditionFalse, "HasRemediateMachineAnnotation", "Marked for remediation via remediate-machine annotation", 0,
		},
		{
			"machine.status.nodeRef not set && nodeStartupTimeout not exceeded", notJoined,
			4 * time.Minute, metav1.ConditionUnknown, "WaitingForNodeRef", "Waiting for Node to be created", 6 * time.Minute,
		},
		{
			"machine.status.nodeRef not set && nodeStartupTimeout exceeded", notJoined,
			10 * time.Minute, metav1.ConditionFalse, "NodeStartupTimedOut", "Node failed to start within 10m0s", 0,
		},
		{
			"node exists && all unhealthyConditions pass (healthy)", func(*harness) {},
			0, metav1.ConditionTrue, "Succeeded", "", 0,
		},
		{
			"node exists && any unhealthyCondition fails && timeout not exceeded", notReady(metav1.ConditionUnknown),
			2 * time.Minute, metav1.ConditionUnknown, "NodeConditionsNotYetUnhealthy", "Waiting for unhealthyCondition timeout", 3 * time.Minute,
		},
		{
			"node exists && any unhealthyCondition fails && timeout exceeded", notReady(metav1.ConditionUnknown),
			5 * time.Minute, metav1.ConditionFalse, "ReadyUnhealthy", "Node condition Ready is Unknown for more than 5m0s", 0,
		},
		{
			"node not found && machine not deleting", gone,
			0, metav1.ConditionFalse, "NodeNotFound", "Node not found", 0,
		},
	} {
		t.Run(row.guard, func(t *testing.T) {
			f := newHarness(t)
			change(f, f.mhc, func(m *clusterv1.MachineHealthCheck) {
				m.Spec.Checks.UnhealthyNodeConditions = []clusterv1.UnhealthyNodeCondition{
					{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, TimeoutSeconds: new(int32(300))},
				}
			})
			row.is(f)
			change(f, f.machine, func(m *clusterv1.Machine) { m.Spec.Deletion.NodeDrainTimeoutSeconds = new(int32(1)) })
			f.clock.SetTime(f.start.Add(row.after))
			requeue := f.reconcile()
			expect.ConditionIs(t.Context(), t, f.env.Client, f.machine, metav1.Condition{
				Type: "HealthCheckSucceeded", Status: row.status, Reason: row.reason, Message: row.message, ObservedGeneration: generation,
			})
			if requeue != row.requeue {
				t.Errorf("looks again after %s, want %s", requeue, row.requeue)
			}
		})
	}
}
