package cycle

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// markedUnhealthy marks the host already, so that the next action of the ended cycle follows.
func markedUnhealthy(f *Facts) { f.Host.Unhealthy = true }

// TestHostMark: a host whose cycle was in vain is marked, and one that works again is not.
func TestHostMark(t *testing.T) {
	const done, failed, aborted = v1alpha1.Succeeded, v1alpha1.Failed, v1alpha1.Aborted
	because := func(reason string) change {
		return condition(v1alpha1.ConditionSucceeded, metav1.ConditionFalse, reason)
	}
	tried := because(v1alpha1.ReasonNodeTimedOut)
	marked := markedUnhealthy
	byUs := func(f *Facts) { f.Host.Unhealthy, f.Host.UnhealthyByUs = true, true }
	ends := func(action Action, reason string) outcome { return does(failed, action).saying(reason) }
	check(t, []row{
		{name: "never on", facts: in(failed, because(v1alpha1.ReasonPowerOnTimedOut)), want: ends(MarkHost, v1alpha1.ReasonPowerOnTimedOut)},
		{name: "never off", facts: in(failed, because(v1alpha1.ReasonPowerOffTimedOut)), want: ends(MarkHost, v1alpha1.ReasonPowerOffTimedOut)},
		{name: "no Node", facts: in(failed, tried), want: ends(MarkHost, v1alpha1.ReasonNodeTimedOut)},
		{name: "first it is let go of", facts: in(failed, tried, keyed), want: ends(RemoveKey, v1alpha1.ReasonNodeTimedOut)},
		{name: "no matter who asked for what", facts: in(failed, tried, asking()), want: ends(MarkHost, v1alpha1.ReasonNodeTimedOut)},
		{name: "somebody else has marked it", facts: in(failed, tried, marked), want: ends(RemoveFinalizer, v1alpha1.ReasonNodeTimedOut)},
		{name: "another host of that name", facts: in(failed, tried, func(f *Facts) { f.Host.UID = "h-2" }), want: ends(RemoveFinalizer, v1alpha1.ReasonNodeTimedOut)},
		{name: "it could not be worked with", facts: in(failed, because(v1alpha1.ReasonHostUnavailable)), want: ends(RemoveFinalizer, v1alpha1.ReasonHostUnavailable)},
		{name: "the Node is back, but not as it was", facts: in(failed, because(v1alpha1.ReasonRestoreTimedOut)), want: ends(RemoveFinalizer, v1alpha1.ReasonRestoreTimedOut)},
		{name: "it works again", facts: in(done, byUs), want: does(done, UnmarkHost)},
		{name: "which somebody else does not believe", facts: in(done, marked), want: does(done, RemoveFinalizer)},
		{name: "it was not cycled to the end", facts: in(aborted, byUs), want: does(aborted, RemoveFinalizer)},
	})
}

// TestMarkGoesWithALateNode: a host whose Node comes back Ready after the end works again. The Node first gets back what it had.
func TestMarkGoesWithALateNode(t *testing.T) {
	const failed = v1alpha1.Failed
	byUs := func(f *Facts) { f.Host.Unhealthy, f.Host.UnhealthyByUs = true, true }
	bare := func(f *Facts) { f.Node.Node.Labels = nil }
	complete := func(f *Facts) { f.Node.Node.Labels = map[string]string{"team": "a"} }
	notReady := func(f *Facts) { setReady(f.Node.Node, corev1.ConditionFalse, noon.Add(moment)) }
	late := func(changes ...change) Facts {
		ended := []change{noFinalizer, outOfServiceSince, byUs, newNode, complete, reports(moment), func(f *Facts) {
			f.Status.Outcome = v1alpha1.ReasonNodeTimedOut
			f.Status.Node.Backup = &v1alpha1.NodeBackup{TakenAt: noon, Labels: map[string]string{"team": "a"}}
		}}
		return in(failed, append(ended, changes...)...)
	}
	says := string(failed)
	check(t, []row{
		{name: "it works again", facts: late(), want: does(failed, UnmarkHost)},
		{name: "first the Node gets it all", facts: late(bare), want: does(failed, RestoreNode)},
		{name: "it may not work", facts: late(notReady), want: waits(failed, 0)},
		{name: "the mark is gone", facts: late(func(f *Facts) { f.Host.UnhealthyByUs = false }), want: stores(failed, v1alpha1.ReasonNodeTimedOut)},
		{name: "it is another host", facts: late(func(f *Facts) { f.Host.UID = "h-2" }), want: stores(failed, v1alpha1.ReasonNodeTimedOut)},
		{name: "there is no host any more", facts: late(func(f *Facts) { f.Host = HostFacts{Missing: says} }), want: stores(failed, v1alpha1.ReasonNodeTimedOut)},
		{name: "the Node is not back", facts: late(nodeGone), want: waits(failed, 0)},
	})
}

// TestMarkedHostWorksAgain simulates a host that somebody starts after the end: nothing of ours is left on it.
func TestMarkedHostWorksAgain(t *testing.T) {
	w := newModel()
	w.t, w.kubelet.dead = t, true
	if !w.goOn(6*time.Hour) || w.host.unhealthy != probeOurs {
		t.Fatalf("in phase %s, marked %q", w.request.status.Phase, w.host.unhealthy)
	}
	w.kubelet.dead = false
	w.setPower(false)
	w.setPower(true)
	w.advance(time.Hour)
	w.run()
	if w.host.unhealthy != "" || w.request.status.Node.OutOfService {
		t.Errorf("the host is marked %q, and recorded is %+v", w.host.unhealthy, w.request.status.Node)
	}
}
