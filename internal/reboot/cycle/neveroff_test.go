package cycle

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestTaintGoesAfterAnAttemptInVain: the first attempt taints the Node, which boots but is not Ready in time. In the second attempt, the
// host cannot be switched off. When the Node finally becomes Ready, still in the boot of the first attempt, the taint goes: no other
// boot will come, and Kubernetes would keep all workloads off a working Node.
func TestTaintGoesAfterAnAttemptInVain(t *testing.T) {
	for name, ready := range map[string]time.Duration{"before the end": 10 * time.Minute, "the next day": 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			w := newModel()
			w.t, w.kubelet.unready = t, true
			w.request.spec.Isolation = v1alpha1.OutOfServiceTaint
			w.runUntil(v1alpha1.CoolingDown)
			if !Tainted(w.workload.node) || w.iron.boots < 2 {
				t.Fatalf("after %d boots the Node is %+v", w.iron.boots, w.workload.node.Spec)
			}
			w.operator.blind = true
			w.runUntil(v1alpha1.WaitingForNode)
			w.goOn(ready)
			w.operator.blind, w.kubelet.unready = false, false
			w.advance(time.Minute)
			w.goOn(time.Hour)
			w.run()
			if s := w.request.status; Tainted(w.workload.node) || OwesNode(&s) {
				t.Errorf("in phase %s the Node is %+v, recorded as %+v", s.Phase, w.workload.node.Spec, s.Node)
			}
		})
	}
}

// TestHostComesOnLate: a Node that registers after the host came on too late is back, however soon it is Ready. Another cycle would only
// delete it again.
func TestHostComesOnLate(t *testing.T) {
	const cooling, restoring = v1alpha1.CoolingDown, v1alpha1.Restoring
	neverOn := func(f *Facts) { f.Status.LastPoweredOn = nil }
	back := stores(restoring, "Restoring")
	check(t, []row{
		{name: "another Node", facts: in(cooling, neverOn, newNode, reports(moment)), after: moment, want: back},
		{name: "when the next attempt is due", facts: in(cooling, neverOn, newNode, reports(moment)), after: CoolDown, want: back},
		{name: "the same one after a boot", facts: in(cooling, neverOn, taints, rebootedNode, reports(moment)), after: moment, want: back},
		{name: "the same one before it", facts: in(cooling, neverOn, taints, sameNode, reports(moment)), after: moment, want: waits(cooling, CoolDown)},
		{name: "one that has not told its boot", facts: in(cooling, neverOn, noBootID, sameNode, reports(CoolDown+moment)), after: CoolDown - moment, want: back},
	})
}

// TestLateNodeOfAnAttemptInVain: the same in single rows: if the attempt that ended did not boot the host, an earlier boot is enough.
func TestLateNodeOfAnAttemptInVain(t *testing.T) {
	const failed = v1alpha1.Failed
	ourTaint := func(f *Facts) { f.Node.Tainted, f.Node.Node.Spec.Taints = true, []corev1.Taint{OutOfService} }
	late := func(changes ...change) Facts {
		ended := []change{taints, noFinalizer, outOfServiceSince, sameNode, ourTaint, func(f *Facts) { f.Status.Node.Backup = nil }, neverOff}
		return in(failed, append(ended, changes...)...)
	}
	check(t, []row{
		{name: "it runs", facts: late(reports(moment)), want: does(failed, UntaintNode)},
		{name: "it may not", facts: late(reports(0)), want: waits(failed, 0)},
		{name: "it does not", facts: late(), want: waits(failed, 0)},
	})
}
