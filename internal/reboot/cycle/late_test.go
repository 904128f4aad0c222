package cycle

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

func messageOf(status v1alpha1.RebootRemediationStatus) string {
	return meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSucceeded).Message
}

// TestComesAfterTheEnd: a Node that comes when the cycle has ended gets back what it had, and loses our taint, while the
// record exists. A backup is dropped only when it is put back, or when its Machine is gone.
func TestComesAfterTheEnd(t *testing.T) {
	const failed = v1alpha1.Failed
	why := func(f *Facts) {
		condition(v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonNodeTimedOut)(f)
		outOfServiceSince(f)
		f.Status.Node.Backup = &v1alpha1.NodeBackup{TakenAt: noon, Labels: map[string]string{"team": "a"}}
	}
	noBackup := func(f *Facts) { f.Status.Node.Backup = nil }
	ourTaint := func(f *Facts) { f.Node.Tainted, f.Node.Node.Spec.Taints = true, []corev1.Taint{OutOfService} }
	complete := func(f *Facts) { f.Node.Node.Labels = map[string]string{"team": "a"} }
	late := func(changes ...change) Facts {
		return in(failed, append([]change{why, noFinalizer, newNode}, changes...)...)
	}
	bare := func(f *Facts) { f.Node.Node.Labels = nil }
	rests := waits(failed, 0).saying(v1alpha1.ReasonNodeTimedOut)
	restores := func(action Action) outcome { return does(failed, action).saying(v1alpha1.ReasonNodeTimedOut) }
	check(t, []row{
		{name: "after the end: another Node gets it all", facts: late(), want: restores(RestoreNode)},
		{name: "after the end: when it has it, that is stored", facts: late(complete), want: stores(failed, v1alpha1.ReasonNodeTimedOut)},
		{name: "after the end: so does the same one, after a boot", facts: late(rebootedNode, reports(moment), bare), want: restores(RestoreNode)},
		{name: "after the end: which has not happened", facts: late(sameNode, reports(moment)), want: rests},
		{name: "after the end: or is not over", facts: late(rebootedNode), want: rests},
		{name: "after the end: or was before the end", facts: late(rebootedNode, reports(0)), want: rests},
		{name: "after the end: the taint goes, after a boot", facts: late(taints, noBackup, rebootedNode, reports(moment), ourTaint), want: restores(UntaintNode)},
		{name: "after the end: and not without", facts: late(taints, noBackup, sameNode, reports(moment), ourTaint), want: rests},
		// If the host was not proven off in the end, and its Node is tainted since an earlier cycle, an earlier boot is enough.
		{name: "never off: it runs", facts: late(taints, noBackup, sameNode, neverOff, reports(moment), ourTaint), want: restores(UntaintNode)},
		{name: "never off: it may not", facts: late(taints, noBackup, sameNode, neverOff, reports(0), ourTaint), want: rests},
		{name: "after the end: it is not there", facts: late(nodeGone), want: rests},
		{name: "after the end: it cannot be read", facts: late(nodeUnreadable), want: rests},
		{name: "after the end: it is on its way out", facts: late(nodeDeleting), want: rests},
		{name: "after the end: the machine is gone", facts: late(machineGone), want: rests},
		{name: "after the end: it is another machine", facts: late(func(f *Facts) { f.Machine.UID = "m-2" }), want: rests},
		{name: "after the end: it never was out of service", facts: late(untouched), want: rests},
		{name: "after the end: first the end is an end", facts: late(func(f *Facts) { f.Finalizer = true }, keyed), want: restores(RemoveKey)},
	})
	s := Decide(late(complete), noon.Time).Status
	if s.Node.Backup != nil || s.Node.OutOfService || reasonOf(s, v1alpha1.ConditionNodeRestored) != "NodeRestored" {
		t.Errorf("afterwards is recorded %+v, %+v", s.Node, s.Conditions)
	}
	if got := messageOf(s); !strings.Contains(got, "came back after the end") {
		t.Errorf("the message is %q", got)
	}
}

// TestEndSaysWhatIsLeft: the end says what was not put back.
func TestEndSaysWhatIsLeft(t *testing.T) {
	late := func(changes ...change) v1alpha1.RebootRemediationStatus {
		return Decide(in(v1alpha1.WaitingForNode, changes...), noon.Add(nodeTimeout)).Status
	}
	const backup, taint = "what Node n1 had", "out-of-service"
	noBackup := func(f *Facts) { f.Status.Node.Backup = nil }
	for name, tt := range map[string]struct {
		status v1alpha1.RebootRemediationStatus
		want   []string
	}{
		"a backup":            {late(), []string{backup}},
		"a taint":             {late(taints, noBackup), []string{taint}},
		"nothing":             {late(untouched), nil},
		"the machine is gone": {Decide(in(v1alpha1.WaitingForNode, machineGone), noon.Time).Status, nil},
	} {
		got := messageOf(tt.status)
		for _, part := range []string{backup, taint} {
			want := false
			for _, w := range tt.want {
				want = want || w == part
			}
			if strings.Contains(got, part) != want {
				t.Errorf("%s: the message is %q; that it has %q in it is %t, want %t", name, got, part, !want, want)
			}
		}
	}
}

// forNode makes the record stay for its Node.
func forNode(f *Facts) { f.NodeFinalizer = true }

// deletedAt deletes the record some time after noon.
func deletedAt(after time.Duration) change {
	return func(f *Facts) { f.Deleting, f.DeletingSince = true, noon.Add(after) }
}

// draining has Sickbay hand everything back.
func draining(f *Facts) { f.Drains = true }

// finishedAt has a cycle end some time after noon.
func finishedAt(after time.Duration) change {
	return func(f *Facts) { f.Status.FinishedAt = new(metav1.NewTime(noon.Add(after))) }
}

// TestStaysForItsNode: a record does not stay for its Node without a reason, and once it is deleted, no longer than the Node may take.
func TestStaysForItsNode(t *testing.T) {
	const failed = v1alpha1.Failed
	why := condition(v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonNodeTimedOut)
	owed := func(changes ...change) Facts {
		return in(failed, append([]change{owing(map[string]string{"team": "a"}), noFinalizer, forNode, nodeGone}, changes...)...)
	}
	rests := waits(failed, 0).saying(v1alpha1.ReasonNodeTimedOut)
	goes := does(failed, RemoveNodeFinalizer).saying(v1alpha1.ReasonNodeTimedOut)
	bare := func(f *Facts) { f.Node.Node.Labels = nil }
	expires := nodeTimeout + time.Hour
	check(t, []row{
		{name: "it waits", facts: owed(), after: 24 * time.Hour, want: rests},
		{name: "it is deleted", facts: owed(deletedAt(time.Hour)), after: time.Hour, want: rests.lookingAgain(expires)},
		{name: "the Node comes", facts: owed(deletedAt(time.Hour), newNode, bare), after: time.Hour, want: does(failed, RestoreNode).saying(v1alpha1.ReasonNodeTimedOut).lookingAgain(expires)},
		{name: "it does not come", facts: owed(deletedAt(time.Hour)), after: expires, want: goes},
		{name: "it cannot come, as another cycle keeps the host off", facts: owed(deletedAt(time.Hour), beside(sibling("other", v1alpha1.Holding, taints))), after: expires, want: rests},
		{name: "another cycle waits for a person, and takes over what is owed when it begins", facts: owed(deletedAt(time.Hour), beside(sibling("other", v1alpha1.Pending, taints))), after: expires, want: rests},
		{name: "it has its time again once that cycle is over", facts: owed(deletedAt(time.Hour), beside(sibling("other", v1alpha1.Succeeded, taints, finishedAt(expires)))), after: expires, want: rests.lookingAgain(expires + nodeTimeout)},
		{name: "one that ended before does not count, to the last", facts: owed(deletedAt(time.Hour), beside(sibling("other", v1alpha1.Succeeded, taints))), after: expires - moment, want: rests.lookingAgain(expires)},
		{name: "and no longer", facts: owed(deletedAt(time.Hour), beside(sibling("other", v1alpha1.Succeeded, taints))), after: expires, want: goes},
		{name: "the Machine is gone", facts: owed(machineGone), want: goes},
		{name: "the Machine is another one", facts: owed(func(f *Facts) { f.Machine.UID = "m-2" }), want: goes},
		{name: "nothing is owed any more", facts: owed(untouched, why), want: goes},
		{name: "the machine cannot be read", facts: owed(machineUnreadable), want: rests},
		{name: "nor before it has been long enough", facts: owed(machineUnreadable, deletedAt(time.Hour)), after: expires, want: goes},
		{name: "Sickbay drains", facts: owed(draining, finishedAt(time.Hour)), after: time.Hour, want: rests.lookingAgain(expires)},
		{name: "the Node does not come while it drains", facts: owed(draining, finishedAt(time.Hour)), after: expires, want: goes},
		{name: "the Node came while no manager ran", facts: owed(draining, finishedAt(time.Hour), newNode, bare), after: expires, want: does(failed, RestoreNode).saying(v1alpha1.ReasonNodeTimedOut)},
		{name: "another cycle keeps the host off while it drains", facts: owed(draining, finishedAt(time.Hour), beside(sibling("other", v1alpha1.Holding, taints))), after: expires, want: rests},
	})
}

// decideAll stores whatever is to be stored at one moment, and returns the decision after that.
func decideAll(f *Facts, now time.Time) Decision {
	for {
		d := Decide(*f, now)
		if !d.Changed {
			return d
		}
		f.Status = d.Status
	}
}

// TestPhaseSinceTheFuture: a leader whose clock was ahead stored when a phase began. The phase takes no longer than its own time from now.
func TestPhaseSinceTheFuture(t *testing.T) {
	for i := range phases {
		p := &phases[i]
		if p.clock == nil {
			continue
		}
		f := in(p.name)
		if p.name == v1alpha1.Pending {
			f.Host.Missing = "gone"
		}
		if p.name == v1alpha1.Fenced {
			nodeUnreadable(&f)
		}
		*p.clock(&f.Status) = new(metav1.NewTime(noon.Add(24 * time.Hour)))
		decideAll(&f, noon.Time)
		limit := p.limit(&draft{f: f, s: f.Status})
		if at := *p.clock(&f.Status); at == nil || at.Add(p.limit(&draft{f: f, s: f.Status})).After(noon.Add(limit)) {
			t.Errorf("%s counts from %v", p.name, at)
		}
	}
}
