package cycle

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
	"sigs.k8s.io/cluster-api/controllers/noderefutil"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

var allPhases = []v1alpha1.Phase{
	"", v1alpha1.Pending, v1alpha1.PoweringOff, v1alpha1.Fenced, v1alpha1.Isolating, v1alpha1.Holding, v1alpha1.PoweringOn, v1alpha1.WaitingForNode,
	v1alpha1.Restoring, v1alpha1.Succeeded, v1alpha1.Failed, v1alpha1.Aborted,
}

// anyFacts draws a phase, and then any observation, likely or not.
func anyFacts() *rapid.Generator[Facts] {
	return rapid.Custom(func(t *rapid.T) Facts {
		f := in(rapid.SampledFrom(allPhases).Draw(t, "phase"))
		h, m := &f.Host, &f.Machine
		for _, fact := range []*bool{
			&f.Finalizer, &f.Deleting, &h.Ours, &h.Fenceable, &h.Deleting, &h.Online, &h.PoweredOn, &h.Key, &h.Probe, &h.OtherProbe, &h.OtherKeys,
			&m.Gone, &m.AsksFull, &m.Autoscaled, &f.NodeFinalizer, &h.UnhealthyByUs,
		} {
			if rapid.IntRange(0, 3).Draw(t, "other") == 0 {
				*fact = !*fact
			}
		}
		h.Obstacle = rapid.SampledFrom([]string{"", "", "", v1alpha1.ReasonHostPaused, v1alpha1.ReasonPowerManagementError, v1alpha1.ReasonHostServicing}).Draw(t, "obstacle")
		h.Missing = rapid.SampledFrom([]string{"", "", "", "", "gone"}).Draw(t, "missing")
		h.UID = rapid.SampledFrom([]types.UID{"h-1", "h-1", "h-1", "h-2"}).Draw(t, "host")
		if NeedsPlane(&f) {
			f.Throttled = rapid.SampledFrom([]string{"", "", "others come first"}).Draw(t, "throttled")
		}
		f.Spec.Until = rapid.SampledFrom([]v1alpha1.Step{"", "", v1alpha1.StepPowerOff, v1alpha1.StepDelete}).Draw(t, "until")
		if NeedsRecord(&f) {
			f.NotStored = rapid.SampledFrom([]string{"", "", "not stored"}).Draw(t, "stored")
		}
		f.MachineUnreadable = rapid.SampledFrom([]string{"", "", "", "cannot be read"}).Draw(t, "machine unreadable")
		f.DeletingSince, f.Drains = noon.Time, rapid.Bool().Draw(t, "drains")
		h.ProbedAt = noon.Add(rapid.SampledFrom([]time.Duration{0, settleTime - moment, settleTime}).Draw(t, "asked"))
		m.Steps = map[v1alpha1.Step]bool{}
		for _, step := range steps {
			if rapid.Bool().Draw(t, string(step)) {
				m.Steps[step] = true
			}
		}
		anyNode(t)(&f)
		anyRecord(t)(&f)
		anySiblings(t)(&f)
		return f
	})
}

// anySiblings draws other RebootRemediations.
func anySiblings(t *rapid.T) change {
	var others []v1alpha1.RebootRemediation
	for range rapid.IntRange(0, 2).Draw(t, "siblings") {
		var changes []change
		if rapid.Bool().Draw(t, "taints as well") {
			changes = append(changes, taints)
		}
		other := sibling("s", rapid.SampledFrom(allPhases).Draw(t, "sibling"), changes...)
		if rapid.Bool().Draw(t, "owes") && other.Status.Node != nil {
			other.Status.Node.OutOfService, other.Status.Node.Backup = true, &v1alpha1.NodeBackup{TakenAt: noon, Labels: map[string]string{"team": "s"}}
		}
		other.Status.MachineUID = rapid.SampledFrom([]types.UID{"m-1", "m-1", "m-2"}).Draw(t, "of machine")
		others = append(others, other)
	}
	return beside(others...)
}

func anyNode(t *rapid.T) change {
	node := rapid.SampledFrom([]string{"same", "same", "rebooted", "other", "gone", "none", "unreadable"}).Draw(t, "node")
	isReady, onWayOut := rapid.Bool().Draw(t, "ready"), rapid.IntRange(0, 3).Draw(t, "node deleting") == 0
	hasTaint, drained := rapid.Bool().Draw(t, "tainted"), rapid.Bool().Draw(t, "drained")
	return func(f *Facts) {
		switch node {
		case "same":
			sameNode(f)
		case "rebooted":
			rebootedNode(f)
		case "other":
			otherNode(f)
		case "gone":
			nodeGone(f)
			return
		case "none":
			f.Node = NodeFacts{}
			return
		default:
			nodeUnreadable(f)
			return
		}
		if isReady {
			reports(moment)(f)
		}
		if onWayOut {
			nodeDeleting(f)
		}
		if hasTaint {
			f.Node.Tainted, f.Node.Drained = true, drained
			f.Node.Node.Spec.Taints = []corev1.Taint{OutOfService}
		}
	}
}

// anyRecord deletes any of the times in the status, and changes what is asked for.
func anyRecord(t *rapid.T) change {
	isTaint := rapid.Bool().Draw(t, "isolation")
	var lost []bool
	for range 13 {
		lost = append(lost, rapid.IntRange(0, 5).Draw(t, "lost") == 0)
	}
	isMarked := rapid.Bool().Draw(t, "marked since")
	return func(f *Facts) {
		s := &f.Status
		if isTaint {
			taints(f)
		}
		for i, at := range []**metav1.Time{
			&s.PendingRebootSince, &s.KeySince, &s.SeenOnAt, &s.PoweredOffAt, &s.IsolatingSince, &s.IsolatedAt, &s.HoldingSince,
			&s.PowerOnReleasedAt, &s.LastPoweredOn, &s.NodeBackAt, &s.NodeGoneAt,
		} {
			if lost[i] {
				*at = nil
			}
		}
		if lost[11] {
			s.SuspendedSince = &noon
		}
		if lost[12] && s.Node != nil {
			s.Node.Backup = nil
		}
		if isMarked && s.Phase.Ended() {
			s.HostMarkedSince = &noon
		}
	}
}

// TestWhateverIsRead checks rules that hold for every single decision, however its facts came about: it does nothing
// forbidden, it stores an action before it does it, and an ended cycle stays ended.
func TestWhateverIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFacts().Draw(t, "facts")
		now := noon.Add(rapid.SampledFrom([]time.Duration{0, moment, settleTime, powerOffTimeout, nodeTimeout, 24 * time.Hour}).Draw(t, "now"))
		d := Decide(f, now)
		h, s := f.Host, f.Status
		switch d.Action {
		case DeleteNode, TaintNode:
			if s.Phase != v1alpha1.Isolating || !h.Key || h.Probe || h.PoweredOn || h.Obstacle != "" || !h.Fenceable || h.Missing != "" || h.UID != s.Host.UID || !h.Ours {
				t.Fatalf("the Node is touched in phase %s by a host like %+v", s.Phase, h)
			}
			if f.Node.Node == nil || f.Node.Node.UID != s.Node.UID || f.Machine.Gone || f.Deleting {
				t.Fatalf("a Node is touched that is not to be: %+v", f.Node)
			}
			if d.Action == DeleteNode && (s.Node.Backup == nil || Missing(contentOf(f.Node.Node), asNode(s.Node.Backup)).Any()) {
				t.Fatalf("the Node is deleted without a backup")
			}
		case SetKey:
			if !f.Finalizer || f.Deleting || f.Machine.Gone || !h.Fenceable || h.UID != s.Host.UID || (f.MachineUnreadable == "" && !h.Ours) ||
				!slices.Contains([]v1alpha1.Phase{v1alpha1.PoweringOff, v1alpha1.Holding}, s.Phase) {
				t.Fatalf("the key is set in phase %s on a host like %+v", s.Phase, h)
			}
			if s.BeganAt == nil {
				t.Fatal("the key is set before the record says that the cycle has begun")
			}
			if !h.Key && (f.MachineUnreadable != "" || (f.Throttled != "" && s.Phase == v1alpha1.PoweringOff)) {
				t.Fatalf("the key is set, and %q, or it %s", f.Throttled, f.MachineUnreadable)
			}
		case RemoveKey:
			if h.UID != s.Host.UID || slices.Contains([]v1alpha1.Phase{v1alpha1.PoweringOff, v1alpha1.Fenced, v1alpha1.Isolating, v1alpha1.Holding}, s.Phase) {
				t.Fatalf("the key is removed in phase %s", s.Phase)
			}
		case RemoveFinalizer:
			if !s.Phase.Ended() || (h.Missing == "" && s.Host != nil && h.UID == s.Host.UID && (h.Key || h.Probe)) {
				t.Fatalf("the record is released in phase %s, with a host like %+v", s.Phase, h)
			}
		case RemoveNodeFinalizer:
			if owed := OwesNode(&s) && f.Machine.UID == s.MachineUID && !f.Machine.Gone; f.Finalizer || (owed && (!f.Deleting || now.Sub(noon.Time) < nodeTimeout)) {
				t.Fatalf("the Node is given up %s after the record was deleted", now.Sub(noon.Time))
			}
		case UnmarkHost:
			runs := f.Node.State == NodeFound && noderefutil.IsNodeReady(f.Node.Node)
			if !h.UnhealthyByUs || (s.Phase != v1alpha1.Succeeded && (f.Finalizer || !runs || f.atWork() != nil)) {
				t.Fatalf("the mark is taken in phase %s from a host like %+v", s.Phase, h)
			}
		case RestoreNode, UntaintNode:
			if f.atWork() != nil && s.Phase.Ended() {
				t.Fatalf("%s, while another one is at work", d.Action)
			}
		default:
		}
		if began := Begins(&f, d); began && f.atWork() != nil {
			t.Fatal("it begins, while another one is at work")
		}
		if began := Begins(&f, d); began && (f.MachineUnreadable != "" || f.Throttled != "" || f.NotStored != "") {
			t.Fatalf("it begins, and there is %q, or it %s, or it is %s", f.Throttled, f.MachineUnreadable, f.NotStored)
		}
		if f.MachineUnreadable != "" && !slices.Contains([]Action{Nothing, AddFinalizer, SetKey, RemoveKey, RemoveNodeFinalizer}, d.Action) {
			t.Fatalf("%s, and it %s", d.Action, f.MachineUnreadable)
		}
		if d.Changed && d.Action != Nothing {
			t.Fatalf("%s, and the record is not stored", d.Action)
		}
		settles := (OwesNode(&s) && !OwesNode(&d.Status)) || (s.HostMarkedSince != nil && d.Status.HostMarkedSince == nil)
		if s.Phase.Ended() && d.Changed && (d.Status.Phase != s.Phase || f.Finalizer || f.MachineUnreadable != "" || !settles) {
			t.Fatalf("the end is not the end: %s", d.Status.Phase)
		}
		if !d.RecheckAt.IsZero() && !d.Changed && !d.RecheckAt.After(now) {
			t.Fatalf("looks again at %s, which is past", d.RecheckAt)
		}
	})
}

// TestDecideIsPure: Decide changes nothing in its input, and gives the same answer each time.
func TestDecideIsPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFacts().Draw(t, "facts")
		before, siblings := *f.Status.DeepCopy(), (&v1alpha1.RebootRemediationList{Items: f.Siblings}).DeepCopy()
		first, second := Decide(f, noon.Time), Decide(f, noon.Time)
		if !equality.Semantic.DeepEqual(before, f.Status) || !equality.Semantic.DeepEqual(siblings.Items, f.Siblings) {
			t.Fatal("the facts are changed")
		}
		if first.String() != second.String() || !equality.Semantic.DeepEqual(first.Status, second.Status) {
			t.Fatalf("%s, and then %s", first, second)
		}
	})
}

// TestOnlyWhatIsNeeded: what is not read because a decision does not need it changes nothing about the decision.
func TestOnlyWhatIsNeeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFacts().Draw(t, "facts")
		lean := f
		if !NeedsNode(&f) {
			lean.Node = NodeFacts{}
		}
		if !NeedsSiblings(&f) {
			lean.Siblings = nil
		}
		if !NeedsPlane(&f) {
			lean.Throttled = ""
		}
		if !NeedsRecord(&f) {
			lean.NotStored = ""
		}
		if !NeedsOwner(&f) {
			lean.Machine.Autoscaled = false
		}
		if all, some := Decide(f, noon.Time), Decide(lean, noon.Time); all.String() != some.String() || !equality.Semantic.DeepEqual(all.Status, some.Status) {
			t.Fatalf("in phase %s: %s, and without what is not needed %s", f.Status.Phase, all, some)
		}
	})
}

// TestEachDecision checks what holds of the record after every single decision, however its facts came about.
func TestEachDecision(t *testing.T) {
	rules := map[string]func(f *Facts, d Decision, now time.Time) bool{
		"an end is in the list of all ends": func(f *Facts, d Decision, _ time.Time) bool {
			return !d.Status.Phase.Ended() || f.Status.Phase.Ended() || slices.Contains(Ends(), End{d.Status.Phase, d.Status.Outcome})
		},
		"what has begun has begun then": func(f *Facts, d Decision, _ time.Time) bool {
			return f.Status.BeganAt == nil || f.Status.BeganAt.Equal(d.Status.BeganAt)
		},
		"a backup is dropped only when the Node has it, or another cycle looks after it": func(f *Facts, d Decision, _ time.Time) bool {
			if dropped := hasBackup(&f.Status) && !hasBackup(&d.Status); !dropped || TaintsNode(&f.Spec, &f.Status) {
				return true
			}
			complete := f.Node.State == NodeFound && !Missing(f.Status.Node.Backup, f.Node.Node).Any()
			takenOver := !f.Finalizer && len(f.Siblings) > 0
			return complete || takenOver
		},
		"Sickbay lets go of a host that a person has switched off only if somebody asks, or if the host cannot stay": func(f *Facts, d Decision, _ time.Time) bool {
			h := f.Host
			if f.Status.Phase != v1alpha1.Holding || f.Machine.Gone || f.Deleting {
				return true
			}
			cannotStay := h.Missing != "" || !h.Fenceable || h.Deleting || !h.Ours || h.UID != f.Status.Host.UID
			return cannotStay || f.wants(v1alpha1.StepPowerOn) || rowOf(d.Status.Phase).keepsOff && d.Action != RemoveKey
		},
		"it waits with a deadline, or for a person or another cycle": func(f *Facts, d Decision, _ time.Time) bool {
			waits := !d.Changed && d.Action == Nothing && d.RecheckAt.IsZero()
			over := d.Status.Phase.Ended() && !f.Finalizer || f.Deleting && !f.Finalizer
			othersFirst := reasonOf(d.Status, v1alpha1.ConditionSucceeded) == v1alpha1.ReasonThrottled || f.NotStored != ""
			return !waits || over || d.Status.Phase == v1alpha1.Holding || d.Status.SuspendedSince != nil || othersFirst
		},
		"a success has put the Node back in service": func(f *Facts, d Decision, _ time.Time) bool {
			if d.Status.Phase != v1alpha1.Succeeded || f.Status.Phase.Ended() {
				return true
			}
			ours := f.Node.State == NodeFound && Tainted(f.Node.Node) && TaintsNode(&f.Spec, &f.Status)
			return f.Status.Phase == v1alpha1.Restoring && f.Node.State == NodeFound && noderefutil.IsNodeReady(f.Node.Node) && !ours && !hasBackup(&d.Status)
		},
		"a host is marked only because it was cycled in vain, and no mark of others is touched": func(f *Facts, d Decision, _ time.Time) bool {
			h, s := f.Host, f.Status
			return d.Action != MarkHost || suspectHost(&s) && s.Host != nil && h.UID == s.Host.UID && !h.Unhealthy && h.Missing == ""
		},
		"nobody gives up a host that was cycled in vain without a mark": func(f *Facts, d Decision, _ time.Time) bool {
			h, s := f.Host, f.Status
			there := h.Missing == "" && s.Host != nil && h.UID == s.Host.UID && len(f.Siblings) == 0
			return d.Action != RemoveFinalizer || !there || !suspectHost(&s) || h.Unhealthy
		},
		"the host is asked again at a time that is not before our key": func(f *Facts, d Decision, now time.Time) bool {
			return d.Action != SetKey || !d.ProbedAt.Before(now.Truncate(time.Second))
		},
	}
	rapid.Check(t, func(t *rapid.T) {
		f := anyFacts().Draw(t, "facts")
		now := noon.Add(rapid.SampledFrom([]time.Duration{0, moment, settleTime, powerOffTimeout, nodeTimeout, 24 * time.Hour}).Draw(t, "now"))
		f.Host.KeySeenFor = rapid.SampledFrom([]time.Duration{0, settleTime}).Draw(t, "key seen for")
		d := Decide(f, now)
		for rule, holds := range rules {
			if !holds(&f, d, now) {
				t.Fatalf("it does not hold that %s: in phase %s, %s", rule, f.Status.Phase, d)
			}
		}
	})
}

func hasBackup(s *v1alpha1.RebootRemediationStatus) bool {
	return s.Node != nil && s.Node.Backup != nil
}
