package machinehealth

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

const older, younger = "Node condition Ready is False for more than 5m0s", "Node condition Ready is False for more than 1m0s"

// several adds a younger MachineHealthCheck, which waits a minute for a Node where the older one waits five.
func several(t *testing.T) (*harness, *clusterv1.MachineHealthCheck) {
	t.Helper()
	f := newHarness(t)
	second := build.MachineHealthCheck(f.machine.Namespace, "second", build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionFalse, time.Minute))
	build.Create(t.Context(), t, f.env.Client, second)
	return f, second
}

// TestSeveral: a Machine is sick as soon as any MachineHealthCheck that selects it finds it so, whichever is the oldest, and it is looked at again when
// another one may.
func TestSeveral(t *testing.T) {
	t.Parallel()
	f, _ := several(t)
	f.breakNode()
	f.reconcile()
	f.stored(metav1.ConditionUnknown, verdict.ReasonNodeConditionsNotYet, "Waiting for unhealthyCondition timeout")
	f.clock.SetTime(f.start.Add(2 * time.Minute))
	if again := f.reconcile(); again != 3*time.Minute {
		t.Errorf("it is looked at again after %s, want when the older one's timeout is over", again)
	}
	f.stored(metav1.ConditionFalse, "ReadyUnhealthy", younger)
	f.clock.SetTime(f.start.Add(6 * time.Minute))
	f.reconcile()
	f.stored(metav1.ConditionFalse, "ReadyUnhealthy", older+"; "+younger)
}

// TestSeveralPaused: a MachineHealthCheck that is paused proves nothing, and does not hide what the other one finds. If all are paused, nothing is
// touched.
func TestSeveralPaused(t *testing.T) {
	t.Parallel()
	f, second := several(t)
	f.reconcile()
	f.stored(metav1.ConditionTrue, verdict.ReasonSucceeded, "")
	pause := func(mhc *clusterv1.MachineHealthCheck) {
		change(f, mhc, func(m *clusterv1.MachineHealthCheck) {
			metav1.SetMetaDataAnnotation(&m.ObjectMeta, clusterv1.PausedAnnotation, "")
		})
	}
	pause(second)
	f.reconcile()
	f.stored(metav1.ConditionUnknown, verdict.ReasonPaused, "MachineHealthCheck second is paused: MachineHealthCheck has the cluster.x-k8s.io/paused annotation")
	f.breakNode()
	f.clock.SetTime(f.start.Add(6 * time.Minute))
	f.reconcile()
	f.stored(metav1.ConditionFalse, "ReadyUnhealthy", older)
	pause(f.mhc)
	f.nodes.Put(f.clusterKey(), build.Node("node"))
	f.reconcile()
	f.stored(metav1.ConditionFalse, "ReadyUnhealthy", older)
}

// TestSeveralOfOthers: a Machine that is selected for another controller, too, gets no verdict from us.
func TestSeveralOfOthers(t *testing.T) {
	t.Parallel()
	f, _ := several(t)
	f.Policy = mhcspec.Policy{Adopt: mhcspec.AdoptHandedOver}
	change(f, f.mhc, func(m *clusterv1.MachineHealthCheck) {
		metav1.SetMetaDataAnnotation(&m.ObjectMeta, clusterv1.PausedAnnotation, mhcspec.HandedOverValue)
	})
	f.reconcile()
	expect.NoCondition(t.Context(), t, f.env.Client, f.machine, verdict.ConditionType)
}
