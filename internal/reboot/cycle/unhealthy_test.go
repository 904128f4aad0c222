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

// TestMarkGoesWithoutABackup: when the machine works again, the mark of its host goes even if nothing was taken from its Node.
func TestMarkGoesWithoutABackup(t *testing.T) {
	const failed = v1alpha1.Failed
	readySince := func(after time.Duration) change {
		return func(f *Facts) {
			reports(moment)(f)
			readyOf(f.Node.Node).LastTransitionTime = metav1.NewTime(noon.Add(after))
		}
	}
	claims := func(at time.Duration) change {
		return func(f *Facts) { f.Status.HostMarkedSince = new(metav1.NewTime(noon.Add(at))) }
	}
	ended := func(changes ...change) Facts {
		return in(failed, append([]change{noFinalizer, untouched, sameNode, claims(0), readySince(moment), func(f *Facts) {
			f.Host.Unhealthy, f.Host.UnhealthyByUs, f.NodeFinalizer = true, true, true
			f.Status.Outcome, f.DeletingSince = v1alpha1.ReasonPowerOffTimedOut, noon.Time
		}}, changes...)...)
	}
	later := sibling("r-2", failed, claims(moment))
	ofOther := sibling("r-2", failed, claims(moment))
	ofOther.Status.MachineUID = "m-2"
	forgets, rests := stores(failed, string(failed)), waits(failed, 0)
	check(t, []row{
		{name: "it works again", facts: ended(), want: does(failed, UnmarkHost)},
		{name: "it has worked all along", facts: ended(readySince(-time.Hour)), want: rests},
		{name: "another Node runs there", facts: ended(newNode, readySince(-time.Hour)), want: does(failed, UnmarkHost)},
		{name: "it is not Ready", facts: ended(sameNode), want: rests},
		{name: "it is gone", facts: ended(nodeGone), want: rests},
		{name: "it cannot be read", facts: ended(nodeUnreadable), want: rests},
		{name: "it is on its way out", facts: ended(nodeDeleting), want: rests},
		{name: "another cycle is at work", facts: ended(beside(sibling("r-2", v1alpha1.PoweringOff))), want: rests},
		{name: "another one looks after the mark", facts: ended(beside(later)), want: forgets},
		{name: "of another machine", facts: ended(beside(ofOther)), want: does(failed, UnmarkHost)},
		{name: "the mark is gone", facts: ended(func(f *Facts) { f.Host.UnhealthyByUs = false }), want: forgets},
		{name: "it is another host", facts: ended(func(f *Facts) { f.Host.UID = "h-2" }), want: forgets},
		{name: "there is no host any more", facts: ended(func(f *Facts) { f.Host = HostFacts{Missing: "gone"} }), want: forgets},
		{name: "the machine is gone", facts: ended(machineGone), want: does(failed, RemoveNodeFinalizer)},
		{name: "the record is deleted as the machine works", facts: ended(deleting), want: does(failed, UnmarkHost).lookingAgain(nodeTimeout)},
		{name: "it is deleted, and nobody waits", facts: ended(deleting, nodeGone), want: does(failed, RemoveNodeFinalizer).lookingAgain(nodeTimeout)},
		{name: "nor for another cycle", facts: ended(deleting, beside(sibling("r-2", v1alpha1.PoweringOff))), want: does(failed, RemoveNodeFinalizer).lookingAgain(nodeTimeout)},
		{name: "it is over", facts: ended(func(f *Facts) { f.Status.HostMarkedSince = nil }), want: does(failed, RemoveNodeFinalizer)},
	})
}

// TestLastWordOnAHost: of two ended cycles that still have work on the host, the later one decides about the mark. Otherwise one would
// mark the host and the other unmark it, forever.
func TestLastWordOnAHost(t *testing.T) {
	const failed, done = v1alpha1.Failed, v1alpha1.Succeeded
	byUs := func(f *Facts) { f.Host.Unhealthy, f.Host.UnhealthyByUs = true, true }
	suspectHost := func(f *Facts) { f.Status.Outcome = v1alpha1.ReasonNodeTimedOut }
	helped, failedLater, otherHost := sibling("r-2", done, endedAt(moment)), sibling("r-2", failed, suspectHost, endedAt(moment)), sibling("r-2", done, endedAt(moment))
	otherHost.Status.Host.UID = "h-2"
	unavailable := sibling("r-2", failed, endedAt(moment), func(f *Facts) { f.Status.Outcome = v1alpha1.ReasonHostUnavailable })
	for name, tt := range map[string]struct {
		facts Facts
		want  Action
	}{
		"in vain":                           {in(failed, suspectHost), MarkHost},
		"in vain, and then it has helped":   {in(failed, suspectHost, beside(helped)), RemoveFinalizer},
		"that was another host":             {in(failed, suspectHost, beside(otherHost)), MarkHost},
		"it has helped before":              {in(failed, suspectHost, endedAt(2*moment), beside(helped)), MarkHost},
		"in the same second":                {in(failed, suspectHost, endedAt(moment), beside(helped)), MarkHost},
		"helped":                            {in(done, byUs), UnmarkHost},
		"helped, and then it was in vain":   {in(done, byUs, beside(failedLater)), RemoveFinalizer},
		"it was in vain in the same second": {in(done, byUs, endedAt(moment), beside(failedLater)), RemoveFinalizer},
		"it was in vain before":             {in(done, byUs, endedAt(2*moment), beside(failedLater)), UnmarkHost},
		"that says nothing about the host":  {in(done, byUs, beside(unavailable)), UnmarkHost},
	} {
		if d := Decide(tt.facts, noon.Add(time.Hour)); d.Action != tt.want {
			t.Errorf("%s: %s", name, d)
		}
	}
}
