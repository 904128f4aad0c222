package machinehealth

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestOneLife follows a Machine from its first verdict to its recovery.
func TestOneLife(t *testing.T) {
	f := newHarness(t)
	if again := f.reconcile(); again != 0 {
		t.Errorf("healthy: look again after %s, want never", again)
	}
	f.stored(metav1.ConditionTrue, "Succeeded", "")

	f.breakNode()
	if again := f.reconcile(); again != 5*time.Minute {
		t.Errorf("pending: look again after %s, want 5m", again)
	}
	f.stored(metav1.ConditionUnknown, "NodeConditionsNotYetUnhealthy", "Waiting for unhealthyCondition timeout")

	f.clock.SetTime(f.start.Add(5 * time.Minute))
	f.reconcile()
	f.stored(metav1.ConditionFalse, "ReadyUnhealthy", "Node condition Ready is False for more than 5m0s")
	f.sees("Warning MachineUnhealthy Node condition Ready is False for more than 5m0s")

	f.nodes.Put(f.clusterKey(), build.Node("node"))
	f.reconcile()
	f.stored(metav1.ConditionTrue, "Succeeded", "")
	f.sees("Normal MachineHealthy Machine is healthy again")
}

// TestSteadyStateWritesNothing: an unchanged verdict of any kind causes no write, even after a restart.
func TestSteadyStateWritesNothing(t *testing.T) {
	for name, arrange := range map[string]func(f *harness){
		"True":    func(*harness) {},
		"False":   func(f *harness) { f.nodes.Remove(f.clusterKey(), "node") },
		"Unknown": func(f *harness) { f.nodes.CutOff(f.clusterKey(), f.start) },
		"pending": func(f *harness) { f.breakNode() },
	} {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t)
			arrange(f)
			f.reconcile()
			version := f.version()
			for range 3 {
				f.clock.SetTime(f.clock.Now().Add(10 * time.Second))
				f.restart()
				f.reconcile()
			}
			if got := f.version(); got != version {
				t.Errorf("resourceVersion went from %s to %s, want no write", version, got)
			}
		})
	}
}

// TestSilentClusterIsTriedAgain: if a cluster stops answering but stays connected, no event says when it answers
// again.
func TestSilentClusterIsTriedAgain(t *testing.T) {
	f := newHarness(t)
	f.reconcile()
	f.nodes.Silence(f.clusterKey(), f.start)
	if again := f.reconcile(); again < unreadableRetry || again > unreadableRetry*3/2 {
		t.Errorf("look again after %s, want %s, or up to half as long again", again, unreadableRetry)
	}
	f.nodes.Reconnect(f.clusterKey())
	f.reconcile()
	f.stored(metav1.ConditionTrue, "Succeeded", "")
}

// TestCacheLagsBehind: a Node that the cache does not show yet does not count as gone. A Node that is gone gets
// no grace period.
func TestCacheLagsBehind(t *testing.T) {
	f := newHarness(t)
	f.nodes.Remove(f.clusterKey(), "node")
	f.nodes.Freeze()
	f.nodes.Put(f.clusterKey(), build.Node("node"))
	f.reconcile()
	f.stored(metav1.ConditionTrue, "Succeeded", "")
}
