package history

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// Gpu is the type of the condition that detectors set.
const Gpu corev1.NodeConditionType = "GpuHealthy"

const (
	// trust are the settings of the MachineHealthCheck where there are detectors.
	trust = "GpuHealthy: {silentAfter: 10m, clock: FirstSeen}"
	// broken is the reason of a condition that is True in earnest, and stale that of one whose detector is gone.
	broken, stale = "Broken", "Stale"
	restless      = "m1"
	deserted      = "m2"
)

// GpuBroken reports whether a Node has a condition that is False, and whose detector lives.
func GpuBroken(c corev1.NodeCondition) bool { return c.Type == Gpu && c.Reason == broken }

// detects sets up the detectors: the first machine is broken, and its detector restarts its clock at each look; that of the second one left a condition
// behind that was never true.
func (w *World) detects() {
	if w.Spec.Has(worlds.Signals) {
		w.gpuSays(restless, corev1.ConditionFalse, broken)
		w.gpuSays(deserted, corev1.ConditionFalse, stale)
	}
}

func (w *World) gpuSays(machine string, status corev1.ConditionStatus, reason string) {
	update(w, kinds.Node, nodeOf(machine), true, func(node *corev1.Node) {
		at := metav1.NewTime(w.clock.now.Add(-time.Hour))
		node.Status.Conditions = append(slices.DeleteFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == Gpu }),
			corev1.NodeCondition{Type: Gpu, Status: status, Reason: reason, LastHeartbeatTime: at, LastTransitionTime: at})
	})
}

// reports adds to a Node as it was read what its detector has just said.
func (w *World) reports(node *corev1.Node) {
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; c.Type == Gpu && c.Reason != stale {
			c.LastHeartbeatTime, c.LastTransitionTime = metav1.NewTime(w.clock.now), metav1.NewTime(w.clock.now)
		}
	}
}

// detectorsChange returns what happens to the detector of the second machine.
func (w *World) detectorsChange() []option {
	if Latest[*corev1.Node](w, kinds.Node, nodeOf(deserted)) == nil {
		return nil
	}
	return []option{
		{"the detector of " + deserted + " says that all is well", func() { w.gpuSays(deserted, corev1.ConditionTrue, "Fine") }},
		{"the detector of " + deserted + " is gone, and leaves behind that it is broken", func() { w.gpuSays(deserted, corev1.ConditionFalse, stale) }},
	}
}
