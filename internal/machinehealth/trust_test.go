package machinehealth

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/conditions"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

// signals adds a rule about GPUs to the MachineHealthCheck, with settings; without any, it removes them.
func (f *harness) signals(settings string) {
	f.t.Helper()
	change(f, f.mhc, func(mhc *clusterv1.MachineHealthCheck) {
		if len(mhc.Spec.Checks.UnhealthyNodeConditions) == 1 {
			build.UnhealthyNodeCondition("GpuHealthy", corev1.ConditionFalse, 10*time.Minute)(mhc)
		}
		delete(mhc.Annotations, mhcspec.SignalsAnnotation)
		if settings != "" {
			build.Annotation(mhcspec.SignalsAnnotation, "GpuHealthy: {"+settings+"}")(mhc)
		}
	})
}

// gpu is a Node whose GPU has that status since some time, and whose detector sent a heartbeat at another.
func (f *harness) gpu(status corev1.ConditionStatus, since, heard time.Duration) {
	f.nodes.Put(f.clusterKey(), build.Node("node", build.NodeFunc(func(n *corev1.Node) {
		n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{
			Type: "GpuHealthy", Status: status, Reason: "XidError",
			LastTransitionTime: metav1.NewTime(f.start.Add(since)), LastHeartbeatTime: metav1.NewTime(f.start.Add(heard)),
		})
	})))
}

func (f *harness) trusted() metav1.Condition {
	f.t.Helper()
	stored, _ := objects.Get(f.t, f.env.Client, f.machine)
	return conditions.Of(stored.Status.Conditions, verdict.TrustConditionType)
}

// TestSignals follows a Node whose detector restarts its clock, falls silent and comes back, through restarts.
func TestSignals(t *testing.T) {
	f := newHarness(t)
	f.signals("clock: FirstSeen, silentAfter: 15m")
	at := func(after time.Duration, verdict string, trust metav1.ConditionStatus) time.Duration {
		t.Helper()
		f.restart()
		f.clock.SetTime(f.start.Add(after))
		again := f.reconcile()
		if got := f.trusted(); f.reason() != verdict || got.Status != trust {
			t.Fatalf("after %s, the verdict is %q, and %+v", after, f.reason(), got)
		}
		return again
	}
	f.gpu("True", 0, 0)
	at(0, "", metav1.ConditionTrue)
	written := f.version()
	at(time.Minute, "", metav1.ConditionTrue)
	if f.version() != written {
		t.Error("a look that found nothing new wrote something")
	}
	f.gpu("False", 2*time.Minute, 2*time.Minute)
	at(2*time.Minute, "NodeConditionsNotYetUnhealthy", metav1.ConditionTrue)
	f.gpu("False", 11*time.Minute, 11*time.Minute)
	if again := at(11*time.Minute, "NodeConditionsNotYetUnhealthy", metav1.ConditionTrue); again != time.Minute {
		t.Errorf("it looks again after %s", again)
	}
	if again := at(12*time.Minute, "GpuHealthyUnhealthy", metav1.ConditionTrue); again != 14*time.Minute {
		t.Errorf("it looks again after %s", again)
	}
	if again := at(26*time.Minute, verdict.ReasonDetectorSilent, metav1.ConditionFalse); again != 5*time.Minute {
		t.Errorf("it looks for a heartbeat after %s", again)
	}
	says := "Node condition GpuHealthy is False, but its detector is silent since "
	if message := f.trusted().Message; !strings.HasPrefix(message, says) || !strings.Contains(message, ". Remembered: GpuHealthy=False seen at ") {
		t.Errorf("it says %q", message)
	}
	// What cannot be read changes nothing.
	f.nodes.CutOff(f.clusterKey(), f.start)
	at(27*time.Minute, verdict.ReasonNodeUnavailable, metav1.ConditionFalse)
	f.nodes.Reconnect(f.clusterKey())
	f.gpu("False", 11*time.Minute, 30*time.Minute)
	at(30*time.Minute, "GpuHealthyUnhealthy", metav1.ConditionTrue)
	f.signals("")
	at(31*time.Minute, "GpuHealthyUnhealthy", "")
}
