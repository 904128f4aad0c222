package cycle

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestNodeComesInCoolingDown: a Node that registers between two attempts gets back what it had, Ready or not, and gets time to become
// Ready. But that does not postpone the next attempt again and again.
func TestNodeComesInCoolingDown(t *testing.T) {
	const cooling, restoring = v1alpha1.CoolingDown, v1alpha1.Restoring
	failedOnce := func(f *Facts) { f.Status.NodeBackAt = &noon }
	complete := func(f *Facts) { f.Node.Node.Labels = map[string]string{"team": "a"} }
	isReady := func(f *Facts) { setReady(f.Node.Node, corev1.ConditionTrue, noon.Add(moment)) }
	notReady := func(f *Facts) { setReady(f.Node.Node, corev1.ConditionFalse, noon.Add(moment)) }
	inPause := func(f *Facts) { underPause(f); f.Status.SuspendedSince, f.Status.PausedSince = &noon, &noon }
	stoodDown := func(f *Facts) { neverOff(f); f.Status.NodeGoneAt = nil }
	isUnderPause := waits(cooling, 0).saying(v1alpha1.ReasonUnderPause)
	check(t, []row{
		{name: "it is not Ready", facts: in(cooling, newNode, notReady), after: CoolDown, want: stores(restoring, "Restoring")},
		{name: "it is", facts: in(cooling, newNode, isReady), after: CoolDown, want: stores(restoring, "Restoring")},
		{name: "not Ready, under a pause", facts: in(cooling, newNode, notReady, inPause), after: time.Hour, want: stores(restoring, "Restoring")},
		{name: "not Ready, and the last attempt stood down", facts: in(cooling, newNode, notReady, stoodDown), want: stores(restoring, "Restoring")},
		{name: "not Ready, when it had its time", facts: in(cooling, newNode, notReady, failedOnce), after: CoolDown, want: stores(v1alpha1.PoweringOff, "PoweringOff")},
		{name: "Ready at last", facts: in(cooling, newNode, isReady, failedOnce), after: CoolDown, want: stores(restoring, "Restoring")},
		{name: "another one registers in a pause", facts: settled(in(cooling, newNode, notReady, failedOnce, inPause)), want: does(cooling, RestoreNode).saying(v1alpha1.ReasonUnderPause)},
		{name: "which has got everything", facts: settled(in(cooling, newNode, notReady, failedOnce, inPause, complete)), want: isUnderPause},
		{name: "the same one, not booted", facts: settled(in(cooling, sameNode, notReady, failedOnce, inPause)), want: isUnderPause},
		{name: "after the last attempt", facts: in(cooling, newNode, notReady, lastAttempt), after: CoolDown, want: stores(restoring, "Restoring")},
	})
}

// TestNeverReadyInThePause simulates a pause that begins while the cycle waits for a Node that needs its labels to become Ready.
func TestNeverReadyInThePause(t *testing.T) {
	w := newModel()
	w.t, w.kubelet.bootTime = t, nodeTimeout+5*time.Minute
	w.runUntil(v1alpha1.WaitingForNode)
	before := w.seen.wanted
	w.paused, w.kubelet.unready = true, true
	w.goOn(4 * time.Hour)
	if w.workload.node == nil || Missing(before, w.workload.node).Any() {
		t.Errorf("in phase %s the Node is %+v", w.request.status.Phase, w.workload.node)
	}
	w.paused, w.kubelet.unready = false, false
	if !w.goOn(4 * time.Hour) {
		t.Errorf("no end, in phase %s", w.request.status.Phase)
	}
}

// runUntil runs the controller until a phase is stored.
func (w *model) runUntil(phase v1alpha1.Phase) {
	for range 2000 {
		if w.request.status.Phase == phase {
			return
		}
		if _, busy := w.step("step"); !busy {
			w.advance(time.Second)
		}
		w.advance(0)
	}
	w.t.Fatalf("never in phase %s, but %s", phase, w.request.status.Phase)
}
