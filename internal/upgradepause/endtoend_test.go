package upgradepause

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
	"github.com/sickbay-dev/sickbay/internal/testing/fakenodes"
	"github.com/sickbay-dev/sickbay/internal/testing/live"
)

// sickAfter is the timeout of every rule in this test.
const sickAfter = 5 * time.Minute

// judged is a Machine under a MachineHealthCheck, with the controller that judges it and ours. Both use the
// same clock.
type judged struct {
	*harness
	health  *machinehealth.Reconciler
	nodes   *fakenodes.Nodes
	machine *clusterv1.Machine
	check   *metav1.PartialObjectMetadata
}

func newJudged(t *testing.T, annotations stored, opts ...build.MachineOption) *judged {
	t.Helper()
	j := &judged{harness: newHarness(t, ClusterAPIKind), nodes: &fakenodes.Nodes{}}
	mhc := build.MachineHealthCheck(j.ns, "mhc", build.NodeStartupTimeout(sickAfter),
		build.UnhealthyMachineCondition("Disk", metav1.ConditionFalse, sickAfter),
		build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionFalse, sickAfter))
	mhc.Annotations = annotations
	j.machine = build.Machine(j.ns, "machine", opts...)
	build.Create(t.Context(), t, j.env.Client, build.Cluster(j.ns, build.ClusterName), mhc, j.machine)
	j.nodes.Put(mhcspec.ClusterOf(j.machine), build.Node("node"))
	j.check = read(t, j.env.Client, ClusterAPIKind, client.ObjectKeyFromObject(mhc))
	j.clock.SetTime(j.machine.CreationTimestamp.Time)
	j.health = &machinehealth.Reconciler{
		Client: live.Client(j.env.Client), Observer: &machinehealth.Observer{Nodes: j.nodes}, Selectors: &mhcspec.Selectors{},
		Recorder: j.events, Clock: j.clock,
	}
	return j
}

// judge runs both controllers, and returns the verdict, and when it is due to change by itself.
func (j *judged) judge() (got metav1.Condition, again time.Duration) {
	j.t.Helper()
	j.reconcile(j.check)
	result, err := j.health.Reconcile(j.t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(j.machine)})
	if err != nil {
		j.t.Fatal(err)
	}
	return *expect.Condition(j.t.Context(), j.t, j.env.Client, j.machine, verdict.ConditionType), result.RequeueAfter
}

func (j *judged) wantVerdict(want metav1.ConditionStatus, reason string) {
	j.t.Helper()
	got, _ := j.judge()
	if got.Status != want || got.Reason != reason {
		j.t.Errorf("verdict %s, %s; want %s, %s", got.Status, got.Reason, want, reason)
	}
}

// breakDisk makes a condition of the Machine unhealthy, and breakNode one of its Node.
func (j *judged) breakDisk() {
	j.t.Helper()
	stored := j.machine.DeepCopy()
	if err := j.env.Client.Get(j.t.Context(), client.ObjectKeyFromObject(j.machine), stored); err != nil {
		j.t.Fatal(err)
	}
	meta.SetStatusCondition(&stored.Status.Conditions, metav1.Condition{
		Type: "Disk", Status: metav1.ConditionFalse, Reason: "Broken", LastTransitionTime: metav1.NewTime(j.clock.Now()),
	})
	if err := j.env.Client.Status().Update(j.t.Context(), stored); err != nil {
		j.t.Fatal(err)
	}
}

func (j *judged) breakNode() {
	j.nodes.Put(mhcspec.ClusterOf(j.machine), build.Node("node", build.NodeReady(metav1.ConditionFalse, j.clock.Now())))
}

// TestClocksRestart: a machine that falls sick during the upgrade is not judged until it is over, and then has
// its whole timeout, to the second.
func TestClocksRestart(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		machine         []build.MachineOption
		breaks          func(j *judged)
		before          string
		waiting, reason string
	}{
		"a condition of the Machine": {
			[]build.MachineOption{build.NodeRef("node")}, (*judged).breakDisk,
			verdict.ReasonSucceeded, verdict.ReasonMachineConditionsNotYet, "DiskUnhealthy",
		},
		"a condition of its Node": {
			[]build.MachineOption{build.NodeRef("node")}, (*judged).breakNode,
			verdict.ReasonSucceeded, verdict.ReasonNodeConditionsNotYet, "ReadyUnhealthy",
		},
		"no Node comes": {
			nil, func(*judged) {},
			verdict.ReasonWaitingForNodeRef, verdict.ReasonWaitingForNodeRef, verdict.ReasonNodeStartupTimedOut,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJudged(t, nil, tt.machine...)
			before, _ := j.judge()
			if before.Reason != tt.before {
				t.Fatalf("verdict before the upgrade: %+v", before)
			}
			j.upgrading("A")
			j.judge()
			j.pass(time.Minute)
			tt.breaks(j)
			for range 4 {
				j.pass(time.Hour)
				during, _ := j.judge()
				if diff := cmp.Diff(before, during); diff != "" {
					t.Errorf("the verdict changes while paused (-before +during):\n%s", diff)
				}
			}

			j.upgrading()
			resumedAt := j.clock.Now()
			if got, again := j.judge(); got.Reason != tt.waiting || again != sickAfter {
				t.Errorf("at the end of the upgrade: %s, again after %s; want %s, again after %s", got.Reason, again, tt.waiting, sickAfter)
			}
			j.wantStored(j.check, resumed(resumedAt))
			j.pass(sickAfter - time.Second)
			j.wantVerdict(metav1.ConditionUnknown, tt.waiting)
			j.pass(time.Second)
			j.wantVerdict(metav1.ConditionFalse, tt.reason)
		})
	}
}

// TestClocksRunOn: clocks do not restart if the pause is overridden or the MachineHealthCheck is excepted,
// since people want just that.
func TestClocksRunOn(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		annotations stored
		does        func(j *judged)
	}{
		"excepted": {stored{keyOption: "false"}, func(*judged) {}},
		"unpaused": {nil, func(j *judged) { j.unannotate(j.check, keyPaused) }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJudged(t, tt.annotations, build.NodeRef("node"))
			j.judge()
			j.upgrading("A")
			j.judge()
			j.breakDisk()
			tt.does(j)
			j.pass(sickAfter - time.Second)
			j.wantVerdict(metav1.ConditionUnknown, verdict.ReasonMachineConditionsNotYet)
			j.pass(time.Second)
			j.wantVerdict(metav1.ConditionFalse, "DiskUnhealthy")
		})
	}
}
