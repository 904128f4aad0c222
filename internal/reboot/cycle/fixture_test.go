package cycle

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/conditions"
)

// operation is the attempt that the cycle is for.
const operation = "u-1/1"

// noon is when everything in the record of a row happened; the rows say how much later it is.
var noon = metav1.NewTime(time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC))

// maxSteps bounds a simulation; a cycle needs far fewer writes.
const maxSteps = 50

// change changes the default facts of a row.
type change func(*Facts)

// in returns the usual facts in a phase: a machine of Cluster API with a Node that is not Ready, and that the
// cycle deletes.
func in(phase v1alpha1.Phase, changes ...change) Facts {
	f := Facts{
		UID: "r-1", Finalizer: true,
		Machine: MachineFacts{UID: "m-1", Node: "n1"},
		Spec: v1alpha1.RebootRemediationSpec{RequestedBy: &v1alpha1.RebootRequester{
			Kind: v1alpha1.RequestedByRecord, Name: "r", UID: "u-1", OperationID: operation,
		}},
		Host: HostFacts{Name: "h1", UID: "h-1", Ours: true, Fenceable: true, Online: true, PoweredOn: true},
	}
	f.Status.Phase = phase
	nodeIs(nodeOf("node-1", "boot-1"))(&f)
	for _, stage := range stages {
		stage.set(&f)
		if stage.phase == phase {
			break
		}
	}
	condition(v1alpha1.ConditionHostAvailable, metav1.ConditionTrue, v1alpha1.ReasonHostAvailable)(&f)
	if phase != "" {
		waitsFor(string(phase))(&f)
	}
	if phase.Ended() {
		f.Status.Phase, f.Status.FinishedAt = phase, &noon
	}
	for _, c := range changes {
		c(&f)
	}
	// Copy it: otherwise a change would reach the facts that all rows share.
	f.Status = *f.Status.DeepCopy()
	return f
}

// stages are what each phase adds to the record and to the world, in the order of a cycle.
var stages = []struct {
	phase v1alpha1.Phase
	set   change
}{
	{"", func(*Facts) {}},
	{v1alpha1.Pending, func(f *Facts) { f.Status.MachineUID = "m-1" }},
	{v1alpha1.PoweringOff, func(f *Facts) {
		f.Status.PendingRebootSince, f.Status.BeganAt = &noon, &noon
		f.Status.Host = &v1alpha1.HostIdentity{Name: "h1", UID: "h-1"}
		f.Status.Node = &v1alpha1.NodeRecord{Name: "n1", UID: "node-1", BootID: "boot-1"}
	}},
	{v1alpha1.Fenced, func(f *Facts) {
		f.Status.SeenOnAt, f.Status.KeySince, f.Status.PoweredOffAt = &noon, &noon, &noon
		f.Host.Key, f.Host.ProbedAt, f.Host.PoweredOn = true, noon.Time, false
	}},
	{v1alpha1.Holding, func(f *Facts) { f.Status.HoldingSince = &noon }},
	{v1alpha1.Isolating, func(f *Facts) {
		f.Status.HoldingSince, f.Status.IsolatingSince, f.Status.Node.OutOfService = nil, &noon, true
		f.Status.Node.Backup = &v1alpha1.NodeBackup{TakenAt: noon, Labels: map[string]string{"team": "a"}}
	}},
	{v1alpha1.PoweringOn, func(f *Facts) {
		nodeGone(f)
		isolated(v1alpha1.ReasonNodeDeleted)(f)
		f.Status.NodeGoneAt = &noon
		f.Status.IsolatedAt, f.Status.PowerOnReleasedAt = &noon, &noon
		f.Host.Key, f.Host.ProbedAt = false, time.Time{}
	}},
	{v1alpha1.WaitingForNode, func(f *Facts) { f.Host.PoweredOn, f.Status.LastPoweredOn = true, &noon }},
	{v1alpha1.Restoring, func(f *Facts) {
		f.Status.NodeBackAt = &noon
		nodeIs(nodeOf("node-2", "boot-2"))(f)
		setReady(f.Node.Node, corev1.ConditionTrue, noon.Add(time.Minute))
	}},
	{v1alpha1.Succeeded, func(f *Facts) { f.Status.Node.Backup, f.Status.Node.OutOfService = nil, false }},
}

func nodeOf(uid types.UID, bootID string) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", UID: uid}}
	if uid == "node-1" {
		node.Labels = map[string]string{"team": "a"}
	}
	node.Status.NodeInfo.BootID = bootID
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, LastHeartbeatTime: metav1.NewTime(noon.Add(-time.Minute))}}
	return node
}

func nodeIs(node *corev1.Node) change {
	return func(f *Facts) { f.Node = NodeFacts{State: NodeFound, Node: node, TaintSupported: true} }
}

// reports makes the Node Ready, with a heartbeat some time after noon.
func reports(after time.Duration) change {
	return func(f *Facts) { setReady(f.Node.Node, corev1.ConditionTrue, noon.Add(after)) }
}

func nodeGone(f *Facts) { f.Node = NodeFacts{State: NodeGone} }
func nodeNone(f *Facts) {
	f.Node, f.Machine.Node, f.Status.Node = NodeFacts{State: NodeNone}, "", nil
}

func nodeUnreadable(f *Facts) {
	f.Node = NodeFacts{State: NodeUnreadable, Cause: "no connection"}
}

func isolated(reason string) change {
	return condition(v1alpha1.ConditionNodeIsolated, metav1.ConditionTrue, reason)
}

func condition(conditionType string, status metav1.ConditionStatus, reason string) change {
	return func(f *Facts) {
		if conditionType == v1alpha1.ConditionSucceeded && f.Status.Phase.Ended() {
			f.Status.Outcome = v1alpha1.Outcome(reason)
		}
		meta.SetStatusCondition(&f.Status.Conditions, metav1.Condition{Type: conditionType, Status: status, Reason: reason, LastTransitionTime: noon})
	}
}

// reasonOf returns the reason of a condition; empty if there is none.
func reasonOf(status v1alpha1.RebootRemediationStatus, conditionType string) string {
	return conditions.Of(status.Conditions, conditionType).Reason
}

// waitsFor sets what the record says that the cycle waits for.
func waitsFor(reason string) change {
	return condition(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, reason)
}

func hostSays(reason string) change {
	return condition(v1alpha1.ConditionHostAvailable, metav1.ConditionFalse, reason)
}

func obstacleIs(reason string) change {
	return func(f *Facts) { f.Host.Obstacle, f.Host.Message = reason, reason }
}

func off(f *Facts)     { f.Host.PoweredOn = false }
func on(f *Facts)      { f.Host.PoweredOn = true }
func keyed(f *Facts)   { f.Host.Key, f.Host.ProbedAt = true, noon.Time }
func unkeyed(f *Facts) { f.Host.Key, f.Host.ProbedAt = false, time.Time{} }
func probed(f *Facts)  { f.Host.Probe = true }
func unbegun(f *Facts) { f.Status.BeganAt = nil }
func seenOn(f *Facts)  { f.Status.SeenOnAt = &noon }
func keySeen(f *Facts) { f.Status.KeySince = &noon }
func userOff(f *Facts) { f.Host.Online = false }
func others(f *Facts)  { f.Host.OtherKeys = true }
func taints(f *Facts)  { f.Spec.Isolation = v1alpha1.OutOfServiceTaint }
func deleting(f *Facts) {
	f.Deleting = true
}
func machineGone(f *Facts) { f.Machine = MachineFacts{Gone: true} }

func probedAt(after time.Duration) change {
	return func(f *Facts) { f.Host.ProbedAt = noon.Add(after) }
}

func keySeenFor(d time.Duration) change {
	return func(f *Facts) { f.Host.KeySeenFor = d }
}

// until makes the cycle stop after a step.
func until(step v1alpha1.Step) change { return func(f *Facts) { f.Spec.Until = step } }

// asking makes the cycle stop after PowerOff, and sets annotations for single steps.
func asking(asked ...v1alpha1.Step) change {
	return func(f *Facts) {
		f.Spec.Until, f.Machine.Steps = v1alpha1.StepPowerOff, map[v1alpha1.Step]bool{}
		for _, step := range asked {
			f.Machine.Steps[step] = true
		}
	}
}

// suspended makes the cycle wait for somebody else since noon.
func suspended(f *Facts) { f.Status.SuspendedSince = &noon }

// outcome is a decision in short.
type outcome struct {
	phase v1alpha1.Phase
	// stores says that the record changes; otherwise do is done, or the controller waits.
	stores bool
	do     Action
	// says is the reason of Succeeded.
	says string
	// again is when to look again, counted from noon.
	again time.Duration
}

func outcomeOf(d Decision) outcome {
	got := outcome{phase: d.Status.Phase, stores: d.Changed, do: d.Action, says: reasonOf(d.Status, v1alpha1.ConditionSucceeded)}
	if !d.RecheckAt.IsZero() {
		got.again = d.RecheckAt.Sub(noon.Time)
	}
	return got
}

// row is one case of a table. Decide gets its facts some time after noon.
type row struct {
	name  string
	facts Facts
	after time.Duration
	want  outcome
	// host and node are the reasons of HostAvailable and NodeIsolated, if they matter.
	host, node string
}

func check(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			// One process has looked at the host all the time.
			r.facts.Host.KeySeenFor = r.after
			d := Decide(r.facts, noon.Add(r.after))
			if diff := cmp.Diff(r.want, outcomeOf(d), cmp.AllowUnexported(outcome{})); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
			if got := reasonOf(d.Status, v1alpha1.ConditionHostAvailable); r.host != "" && got != r.host {
				t.Errorf("HostAvailable says %q, want %q", got, r.host)
			}
			if got := reasonOf(d.Status, v1alpha1.ConditionNodeIsolated); r.node != "" && got != r.node {
				t.Errorf("NodeIsolated says %q, want %q", got, r.node)
			}
		})
	}
}

// stores, does and waits are the outcomes of the rows.
func stores(phase v1alpha1.Phase, says string) outcome {
	return outcome{phase: phase, stores: true, says: says}
}

func does(phase v1alpha1.Phase, action Action) outcome {
	return outcome{phase: phase, do: action, says: string(phase)}
}

func waits(phase v1alpha1.Phase, again time.Duration) outcome {
	return outcome{phase: phase, says: string(phase), again: again}
}

// settled returns facts after all writes of the status that are due at noon.
func settled(f Facts) Facts {
	for range maxSteps {
		d := Decide(f, noon.Time)
		if !d.Changed || d.Status.Phase != f.Status.Phase {
			break
		}
		f.Status = d.Status
	}
	return f
}

func (o outcome) saying(reason string) outcome { o.says = reason; return o }

func (o outcome) lookingAgain(after time.Duration) outcome { o.again = after; return o }

func readyOf(node *corev1.Node) *corev1.NodeCondition {
	for i := range node.Status.Conditions {
		if node.Status.Conditions[i].Type == corev1.NodeReady {
			return &node.Status.Conditions[i]
		}
	}
	return nil
}

func setReady(node *corev1.Node, status corev1.ConditionStatus, heartbeat time.Time) {
	c := readyOf(node)
	if c == nil {
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: corev1.NodeReady})
		c = readyOf(node)
	}
	if c.Status != status {
		c.LastTransitionTime = metav1.NewTime(heartbeat.Truncate(time.Second))
	}
	c.Status, c.LastHeartbeatTime = status, metav1.NewTime(heartbeat.Truncate(time.Second))
}

// contentOf returns what was put on a Node, without what it gets by itself.
func contentOf(node *corev1.Node) *v1alpha1.NodeBackup {
	return &v1alpha1.NodeBackup{
		Labels: without(node.Labels, func(key string) bool { return key == corev1.LabelHostname }), Annotations: node.Annotations,
		Unschedulable: node.Spec.Unschedulable,
		Taints:        slices.DeleteFunc(slices.Clone(node.Spec.Taints), func(t corev1.Taint) bool { return t.Key != "team" }),
	}
}

func asNode(backup *v1alpha1.NodeBackup) *corev1.Node {
	node := &corev1.Node{}
	node.Labels, node.Annotations = backup.Labels, backup.Annotations
	node.Spec.Taints, node.Spec.Unschedulable = backup.Taints, backup.Unschedulable
	return node
}

// String describes a decision, for the log of a failed test.
func (d Decision) String() string {
	switch {
	case d.Changed:
		return "-> " + string(d.Status.Phase) + " (" + reasonOf(d.Status, v1alpha1.ConditionSucceeded) + ")"
	case d.Action != Nothing:
		return string(d.Action)
	}
	return "waits"
}

// allOf makes several changes in order.
func allOf(changes ...change) change {
	return func(f *Facts) {
		for _, c := range changes {
			c(f)
		}
	}
}
