package cycle

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

func taintUnsupported(f *Facts) { f.Node.TaintSupported = false }
func otherNode(f *Facts)        { f.Node.Node = nodeOf("node-9", "boot-9") }
func nodeTainted(f *Facts)      { f.Node.Tainted = true }
func nodeDrained(f *Facts)      { f.Node.Drained = true }
func nodeDeleting(f *Facts)     { f.Node.Node.DeletionTimestamp = &noon }

// TestFenced has the rows for the Node of a host that is off.
func TestFenced(t *testing.T) {
	const phase = v1alpha1.Fenced
	goesOn := stores(v1alpha1.PoweringOn, "PoweringOn")
	check(t, []row{
		{name: "no Node", facts: in(phase, nodeGone), want: goesOn, node: v1alpha1.ReasonNoNode},
		{name: "no Node: never joined", facts: in(phase, nodeNone), want: goesOn, node: v1alpha1.ReasonNoNode},
		{name: "no Node: deleted in an attempt before", facts: in(phase, nodeGone, backedUp), want: goesOn, node: v1alpha1.ReasonNodeDeleted},
		{name: "no Node: unreadable: it is tried for a while", facts: in(phase, nodeUnreadable), want: stores(phase, "Fenced").lookingAgain(isolateTimeout), node: v1alpha1.ReasonNodeUnreadable},
		{name: "no Node: to the last", facts: settled(in(phase, nodeUnreadable)), after: isolateTimeout - moment, want: waits(phase, isolateTimeout)},
		{name: "no Node: and given up", facts: settled(in(phase, nodeUnreadable)), after: isolateTimeout, want: goesOn, node: v1alpha1.ReasonNodeUnreadable},
		{name: "no Node: too old for the taint", facts: in(phase, taints, taintUnsupported), want: goesOn, node: v1alpha1.ReasonTaintUnsupported},
		{name: "backup: the backup is stored with the phase", facts: in(phase), want: stores(v1alpha1.Isolating, "Isolating")},
		{name: "backup: at first sight", facts: in(phase, func(f *Facts) { f.Status.Node.UID = "" }), want: stores(v1alpha1.Isolating, "Isolating")},
		{name: "backup: joined since", facts: in(phase, func(f *Facts) { f.Status.Node = nil }), want: stores(v1alpha1.Isolating, "Isolating")},
		{name: "backup: with a taint", facts: in(phase, taints), want: stores(v1alpha1.Isolating, "Isolating")},
		{name: "another Node", facts: in(phase, otherNode), want: goesOn, node: v1alpha1.ReasonNodeReplaced},
		{name: "not off any more", facts: in(phase, on), want: stores(v1alpha1.PoweringOff, "PoweringOff")},
		{name: "the key is lost", facts: in(phase, unkeyed), want: stores(v1alpha1.PoweringOff, "PoweringOff")},
		{name: "paused", facts: in(phase, obstacleIs(v1alpha1.ReasonHostPaused)), want: stores(v1alpha1.PoweringOff, "PoweringOff")},
	})
}

func backedUp(f *Facts) {
	f.Status.Node.OutOfService, f.Status.Node.Backup = true, &v1alpha1.NodeBackup{TakenAt: noon, Labels: map[string]string{"old": "b"}}
}

// TestIsolating has the rows for taking the Node out of service.
func TestIsolating(t *testing.T) {
	const phase = v1alpha1.Isolating
	again := func(o outcome) outcome { return o.lookingAgain(isolateTimeout) }
	check(t, []row{
		{name: "out of service: delete", facts: in(phase), want: again(does(phase, DeleteNode))},
		{name: "out of service: taint", facts: in(phase, taints), want: again(does(phase, TaintNode))},
		{name: "out of service: first what was put on it since is stored", facts: in(phase, func(f *Facts) { f.Node.Node.Labels["new"] = "b" }), want: again(stores(phase, "Isolating"))},
		{name: "before the Node is touched: the host is on", facts: in(phase, on), want: stores(v1alpha1.PoweringOff, "PoweringOff")},
		{name: "before the Node is touched: the key is gone", facts: in(phase, unkeyed), want: stores(v1alpha1.PoweringOff, "PoweringOff")},
		{name: "before the Node is touched: the answer is unreliable", facts: in(phase, obstacleIs(v1alpha1.ReasonPowerManagementError)), want: stores(v1alpha1.PoweringOff, "PoweringOff")},
		{name: "before the Node is touched: it cannot be switched off any more", facts: in(phase, notFenceable), want: stores(v1alpha1.PoweringOn, "PoweringOn")},
		{name: "before the Node is touched: it is on its way out", facts: in(phase, hostDeleting), want: stores(v1alpha1.PoweringOn, "PoweringOn")},

		{name: "the Node is gone: gone", facts: in(phase, nodeGone), want: stores(v1alpha1.PoweringOn, "PoweringOn"), node: v1alpha1.ReasonNodeDeleted},
		{name: "the Node is gone: gone, whatever the host does", facts: in(phase, nodeGone, unkeyed), want: stores(v1alpha1.PoweringOn, "PoweringOn"), node: v1alpha1.ReasonNodeDeleted},
		{name: "the Node is gone: another one", facts: in(phase, otherNode), want: stores(v1alpha1.PoweringOn, "PoweringOn"), node: v1alpha1.ReasonNodeDeleted},
		{name: "the Node is gone: somebody's finalizer holds it", facts: in(phase, nodeDeleting), want: waits(phase, isolateTimeout)},
		{name: "drained: released", facts: in(phase, taints, nodeTainted, nodeDrained), want: stores(v1alpha1.PoweringOn, "PoweringOn"), node: v1alpha1.ReasonNodeTainted},
		{name: "drained: not yet", facts: in(phase, taints, nodeTainted), want: waits(phase, isolateTimeout)},
		{name: "too long: to the last", facts: in(phase, nodeDeleting), after: isolateTimeout - moment, want: waits(phase, isolateTimeout)},
		{name: "too long: held too long", facts: in(phase, nodeDeleting), after: isolateTimeout, want: stores(v1alpha1.PoweringOn, "PoweringOn"), node: v1alpha1.ReasonIsolationTimedOut},
		{name: "too long: volumes held too long", facts: in(phase, taints, nodeTainted), after: isolateTimeout, want: stores(v1alpha1.PoweringOn, "PoweringOn"), node: v1alpha1.ReasonIsolationTimedOut},
		{name: "too long: unreadable", facts: settled(in(phase, nodeUnreadable)), want: waits(phase, isolateTimeout), node: v1alpha1.ReasonNodeUnreadable},
		{name: "too long: unreadable too long", facts: settled(in(phase, nodeUnreadable)), after: isolateTimeout, want: stores(v1alpha1.PoweringOn, "PoweringOn"), node: v1alpha1.ReasonIsolationTimedOut},
		{name: "the host came on: the host is on again, with the taint on", facts: in(phase, taints, nodeTainted, on), want: stores(v1alpha1.PoweringOff, "PoweringOff")},
	})
}

// TestBackup: the backup has everything that people and programs have put on a Node, but not what depends on its state.
func TestBackup(t *testing.T) {
	f := in(v1alpha1.Fenced, backedUp)
	f.Node.Node.Annotations = map[string]string{"a": "b"}
	f.Node.Node.Spec.Unschedulable, f.Node.Node.Spec.ProviderID = true, "metal3://ns/h1/m1"
	f.Node.Node.Spec.Taints = []corev1.Taint{
		{Key: "team", Value: "a", Effect: corev1.TaintEffectNoSchedule, TimeAdded: &noon},
		{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute},
		{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule},
	}
	later := noon.Add(time.Minute)
	want := &v1alpha1.NodeBackup{
		TakenAt: metav1.NewTime(later), Labels: map[string]string{"team": "a", "old": "b"}, Annotations: map[string]string{"a": "b"},
		Taints: []corev1.Taint{{Key: "team", Value: "a", Effect: corev1.TaintEffectNoSchedule}}, Unschedulable: true,
		ProviderID: "metal3://ns/h1/m1",
	}
	if diff := cmp.Diff(want, Decide(f, later).Status.Node.Backup); diff != "" {
		t.Errorf("backup (-want +got):\n%s", diff)
	}
	if s := Decide(in(v1alpha1.Fenced, taints), later).Status; s.Node.Backup != nil || !s.Node.OutOfService {
		t.Errorf("of a Node that is tainted is recorded: %+v", s.Node)
	}
}

// TestHostThatIsPausedAtOnce: a person wants the host off, and its Node out of service, and pauses the host in between. It was off for that person, so
// it does not come on because its proof does not come back in time.
func TestHostThatIsPausedAtOnce(t *testing.T) {
	f := in(v1alpha1.Isolating, off, until(v1alpha1.StepDelete), obstacleIs(v1alpha1.ReasonHostPaused))
	f.Status.HoldingSince = nil
	for _, after := range []time.Duration{time.Minute, 2 * time.Minute, time.Hour, 2 * time.Hour} {
		f.Status = Decide(f, noon.Add(after)).Status
	}
	if f.Status.Phase.Ended() {
		t.Errorf("it is %s", f.Status.Phase)
	}
}

// TestIsolationIsKept: an attempt that owes the Node something keeps its way, whatever the owner says meanwhile.
func TestIsolationIsKept(t *testing.T) {
	autoscaled := func(f *Facts) { f.Machine.Autoscaled = true }
	for name, c := range map[string]struct {
		facts Facts
		want  v1alpha1.Isolation
	}{
		"the usual machine": {in(v1alpha1.Pending), ""},
		"autoscaled":        {in(v1alpha1.Pending, autoscaled), v1alpha1.OutOfServiceTaint},
		"asked for":         {in(v1alpha1.Pending, autoscaled, func(f *Facts) { f.Spec.Isolation = v1alpha1.DeleteNode }), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if d := Decide(c.facts, noon.Add(time.Minute)); !Begins(&c.facts, d) || d.Status.Isolation != c.want {
				t.Errorf("begins %t, isolation %q, want %q", Begins(&c.facts, d), d.Status.Isolation, c.want)
			}
		})
	}
}

// TestOldClusterBesideAnAutoscaler: in a cluster that knows no taint, the Node of an autoscaled machine stays as it is, and the record says why.
func TestOldClusterBesideAnAutoscaler(t *testing.T) {
	autoscaled := func(f *Facts) { f.Status.Isolation = v1alpha1.OutOfServiceTaint }
	for name, c := range map[string]struct {
		facts Facts
		want  bool
	}{
		"by itself": {in(v1alpha1.Fenced, autoscaled, taintUnsupported), true},
		"asked for": {in(v1alpha1.Fenced, taints, taintUnsupported), false},
	} {
		s := Decide(c.facts, noon.Time).Status
		message := meta.FindStatusCondition(s.Conditions, v1alpha1.ConditionNodeIsolated).Message
		if strings.Contains(message, "Cluster Autoscaler") != c.want || s.Phase != v1alpha1.PoweringOn {
			t.Errorf("%s: in phase %s, %q", name, s.Phase, message)
		}
	}
}
