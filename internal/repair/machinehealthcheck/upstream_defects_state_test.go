package machinehealthcheck

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// The tests named TestUpstreamDefect are about what Cluster API's own controller does wrong, each
// with the section of the notes on it. It must not happen here.

// TestUpstreamDefect_RestrictedStateLosesItsTimers: with remediation restricted, a Machine whose
// deadline passed was noticed only by the next event or resync.
func TestUpstreamDefect_RestrictedStateLosesItsTimers(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	d := w.judges()
	w.clock.SetTime(w.set.CreationTimestamp.Time)
	a := w.machine(t, "a")
	w.sick(t, "b")
	mhc := w.check(t, build.TriggerIfAtMost(intstr.FromInt32(0)), build.NodeStartupTimeout(time.Minute))
	due := d.judge(t, a)
	w.reconcile(t, mhc)
	expect.ConditionIs(t.Context(), t, w.env.Client, mhc, restricted("2 of 2 machines not healthy (1 sick, 1 undecided), more than the 0 allowed; 1 is held back: b"))
	if due == 0 || due > time.Minute+time.Second {
		t.Fatalf("judges again after %s, want at its deadline", due)
	}
	w.pass(due)
	d.judge(t, a)
	w.reconcile(t, mhc)
	expect.ConditionIs(t.Context(), t, w.env.Client, mhc, restricted("2 of 2 machines not healthy (2 sick), more than the 0 allowed; 2 are held back: b, a"))
}

func restricted(message string) metav1.Condition {
	return metav1.Condition{
		Type: admission.ConditionRemediationAllowed, Status: metav1.ConditionFalse, Reason: admission.ReasonTooManyUnhealthy, ObservedGeneration: 1, Message: message,
	}
}

// TestUpstreamDefect_MessagePrintsANumberThatWasNotCompared: "unhealthy: 1, maxUnhealthy: 1" was
// refused, since the Machines that were starting were compared, and not printed.
func TestUpstreamDefect_MessagePrintsANumberThatWasNotCompared(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	w.machine(t, "b")
	mhc := w.check(t, build.TriggerIfAtMost(intstr.FromInt32(1)))
	w.reconcile(t, mhc)
	expect.ConditionIs(t.Context(), t, w.env.Client, mhc, restricted("2 of 2 machines not healthy (1 sick, 1 undecided), more than the 1 allowed; 1 is held back: a"))
}

// TestUpstreamDefect_EventOnEveryReconcile: 2.5 and 2.6. Both the MachineHealthCheck and the Machine
// got the same event with every look.
func TestUpstreamDefect_EventOnEveryReconcile(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]int32{"restricted": 0, "allowed": 1} {
		want := int(1 - limit)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHarness(t)
			a := w.sick(t, "a")
			mhc := w.check(t, build.TriggerIfAtMost(intstr.FromInt32(limit)))
			d := w.judges()
			for range 5 {
				d.judge(t, a)
				w.reconcile(t, mhc)
			}
			if events := w.events(); len(events) != want {
				t.Errorf("events are %q, want %d", events, want)
			}
		})
	}
}

// TestUpstreamDefect_AllOrNothingMarking: issue 10722: The limit decided whether all sick
// Machines were marked or none.
func TestUpstreamDefect_AllOrNothingMarking(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	for i := range 5 {
		w.sick(t, fmt.Sprintf("m%d", i))
	}
	w.reconcile(t, w.check(t, maxInFlight("2")))
	w.wantAdmitted(t, "m0: replace", "m1: replace")
}

// TestUpstreamDefect_PendingMachineKeepsAnOldFalse: A Machine that had been sick, and was not
// decided now, kept its verdict of False.
func TestUpstreamDefect_PendingMachineKeepsAnOldFalse(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	a := w.sick(t, "a")
	mhc := w.check(t, build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionFalse, 5*time.Minute))
	w.nodes.Put(client.ObjectKeyFromObject(w.cluster), build.Node("a", build.NodeReady(metav1.ConditionFalse, w.clock.Now())))
	w.judges().judge(t, a)
	if got := expect.Condition(t.Context(), t, w.env.Client, a, verdict.ConditionType); got.Status != metav1.ConditionUnknown {
		t.Errorf("verdict is %+v, want Unknown", got)
	}
	w.reconcile(t, mhc)
	w.wantAdmitted(t)
}

// TestUpstreamDefect_ClusterNotReadyMarksHealthy: as long as the Cluster's infrastructure
// was not ready, a Machine with a broken Node was declared healthy.
func TestUpstreamDefect_ClusterNotReadyMarksHealthy(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	changeStatus(t, w, w.cluster, func(c *clusterv1.Cluster) { build.InfrastructureNotReady()(c) })
	a := w.machine(t, "a", build.NodeRef("a"))
	w.nodes.Put(client.ObjectKeyFromObject(w.cluster), build.Node("a", build.NodeReady(metav1.ConditionFalse, build.Epoch)))
	mhc := w.check(t, build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionFalse, time.Minute))
	w.judges().judge(t, a)
	got := expect.Condition(t.Context(), t, w.env.Client, a, verdict.ConditionType)
	if got.Status != metav1.ConditionUnknown || got.Reason != verdict.ReasonWaitingForInfrastructure {
		t.Errorf("verdict is %+v", got)
	}
	w.reconcile(t, mhc)
	if latest, _ := stored(t, w, mhc); *latest.Status.CurrentHealthy != 0 {
		t.Errorf("%d healthy, want none", *latest.Status.CurrentHealthy)
	}
}
