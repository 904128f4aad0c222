package cycle

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// model is a bare-metal machine and everything around it: the truth, and what can be read of it. The tests run Decide on it,
// and judge the results by the truth.
type model struct {
	t   rapid.TB
	now time.Time

	iron     simIron
	host     simHost
	operator simOperator
	kubelet  simKubelet
	workload simWorkload
	machine  simMachine
	request  simRequest
	// earlier are RebootRemediations of the machine that have ended.
	earlier []v1alpha1.RebootRemediation
	// throttled says that others come first, and unreadable that the Machine cannot be read.
	throttled, unreadable bool
	// keySeen is what this process remembers of our key. Its clock is ahead by skew, which no other test of time may count on once skewed.
	keySeen simKeySeen
	skew    time.Duration
	skewed  bool
	// late is a write that was decided but has not arrived yet.
	late *simWrite
	// lossy is how many of the next writes fail.
	lossy int
	seen  record
}

type simMachine struct {
	uid        types.UID
	gone       bool
	autoscaled bool
	node       string
	// plain is the annotation for a full cycle.
	plain bool
	keys  map[v1alpha1.Step]bool
}

type simRequest struct {
	exists, deleting, finalizer bool
	// forNode is the finalizer that keeps it for its Node.
	forNode    bool
	deletingAt time.Time
	version    int
	spec       v1alpha1.RebootRemediationSpec
	status     v1alpha1.RebootRemediationStatus
}

// simKeySeen is since when a process has seen our key in place.
type simKeySeen struct {
	host            types.UID
	keySince, since time.Time
}

// keySeenFor returns for how long the process has seen our key in place.
func (w *model) keySeenFor(h HostFacts) time.Duration {
	at := w.request.status.KeySince
	if !h.Key || at == nil {
		w.keySeen = simKeySeen{}
		return 0
	}
	if w.keySeen.host != h.UID || !w.keySeen.keySince.Equal(at.Time) {
		w.keySeen = simKeySeen{h.UID, at.Time, w.now}
	}
	return w.now.Sub(w.keySeen.since)
}

// anotherLeader takes over, whose clock differs from the true time.
func anotherLeader(skew time.Duration) event {
	return func(w *model) { w.keySeen, w.skew, w.skewed = simKeySeen{}, skew, true }
}

// simWrite is a write, and the versions that it requires.
type simWrite struct {
	decision      Decision
	request, host int
}

const requestUID = types.UID("r1")

// facts returns what can be read now.
func (w *model) facts() Facts {
	f := Facts{
		UID: requestUID, Spec: w.request.spec, Status: *w.request.status.DeepCopy(), Deleting: w.request.deleting,
		DeletingSince: w.request.deletingAt, Finalizer: w.request.finalizer, NodeFinalizer: w.request.forNode,
		Host: w.hostFacts(), Machine: MachineFacts{Gone: true},
	}
	f.Host.KeySeenFor = w.keySeenFor(f.Host)
	if w.unreadable {
		f.MachineUnreadable, f.Host.Ours = "The machine cannot be read", false
		f.Machine = MachineFacts{UID: f.Status.MachineUID}
		return f
	}
	if !w.machine.gone {
		f.Machine = w.machineFacts()
	}
	if !w.machine.gone && NeedsNode(&f) {
		f.Node = w.nodeFacts()
	}
	if NeedsSiblings(&f) {
		f.Siblings = w.earlier
	}
	if w.throttled && NeedsPlane(&f) {
		f.Throttled = "Waits for others"
	}
	return f
}

func (w *model) machineFacts() MachineFacts {
	m := w.machine
	facts := MachineFacts{UID: m.uid, Node: m.node, Autoscaled: m.autoscaled}
	if w.request.spec.Until != "" {
		facts.Steps, facts.AsksFull = maps.Clone(m.keys), m.plain
	}
	return facts
}

// step is one turn of the controller: it reads, and makes one write. It reports whether there was one.
func (w *model) step(fate string) (Decision, bool) {
	if w.late != nil {
		late := *w.late
		w.late = nil
		w.arrive(late)
		return late.decision, true
	}
	if !w.request.exists || (w.unreadable && w.request.status.Host == nil) {
		// The controller retries after a while.
		w.seen.rested = Decision{RecheckAt: w.now.Add(lookAgain)}
		return w.seen.rested, false
	}
	f := w.facts()
	d := Decide(f, w.now.Add(w.skew))
	if !d.RecheckAt.IsZero() {
		d.RecheckAt = d.RecheckAt.Add(-w.skew)
	}
	w.checkListed(f, d)
	if !d.Changed && d.Action == Nothing {
		w.checkWait(d)
		return d, false
	}
	if d.Changed {
		w.checkStatus(w.request.status, d.Status)
	}
	write := simWrite{decision: d, request: w.request.version, host: w.host.version}
	switch {
	case fate == "lost" || w.lossy > 0:
		w.lossy = max(0, w.lossy-1)
		w.logf("lost: %s", d)
	case fate == "late" && (d.Changed || !slices.Contains([]Action{DeleteNode, TaintNode}, d.Action)):
		// The other writes require the Node as it was read, and are refused if it has changed.
		w.late = &write
	default:
		w.arrive(write)
	}
	return d, true
}

// arrive carries out a write, unless the objects that it requires have changed.
func (w *model) arrive(write simWrite) {
	d := write.decision
	if !w.request.exists || write.request != w.request.version {
		w.logf("conflict: %s", d)
		return
	}
	w.logf("%s", d)
	if d.Changed {
		w.request.status = stored(w.t, d.Status)
		w.note(d.Status)
		w.request.version++
		return
	}
	if slices.Contains([]Action{SetKey, RemoveKey, MarkHost, UnmarkHost}, d.Action) && write.host != w.host.version {
		w.logf("conflict: the host has changed")
		return
	}
	w.act(d)
}

func (w *model) act(d Decision) {
	switch d.Action {
	case AddFinalizer:
		w.request.finalizer, w.request.forNode = true, true
		w.request.version++
	case RemoveFinalizer:
		w.checkEnd()
		w.request.finalizer, w.request.forNode = false, w.request.forNode && OwesAnything(&w.request.status) && !w.machine.gone
		w.request.version++
		w.request.exists = !w.request.deleting || w.request.forNode
	case RemoveNodeFinalizer:
		w.checkGivenUp()
		w.request.forNode = false
		w.request.version++
		w.request.exists = !w.request.deleting
	case SetKey:
		w.checkSetKey()
		w.host.keys[simKey] = d.ProbedAt.Format(time.RFC3339)
		if _, ok := w.host.keys[simProbe]; !ok {
			w.host.keys[simProbe] = probeOurs
		}
		w.touchHost()
	case RemoveKey:
		w.checkRemoveKey()
		delete(w.host.keys, simKey)
		if w.host.keys[simProbe] == probeOurs {
			delete(w.host.keys, simProbe)
		}
		w.touchHost()
	case MarkHost, UnmarkHost:
		w.checkHostMark(d.Action)
		w.host.unhealthy = map[Action]string{MarkHost: probeOurs}[d.Action]
		w.touchHost()
	case DropAsked, DropFull:
		if d.Action == DropFull {
			w.machine.plain = false
		}
		for _, step := range d.Done {
			delete(w.machine.keys, step)
		}
	default:
		w.actOnNode(d.Action)
	}
}

func (w *model) actOnNode(action Action) {
	if w.workload.down || w.workload.node == nil {
		w.logf("the workload cluster does not answer")
		return
	}
	switch action {
	case DeleteNode:
		w.checkTouch()
		w.removeNode()
	case TaintNode:
		w.checkTouch()
		w.taint()
	case UntaintNode:
		w.checkUntaint()
		w.untaint()
	case RestoreNode:
		missing := Missing(w.request.status.Node.Backup, w.workload.node)
		w.checkMissing(missing)
		w.changeNode(func(node *corev1.Node) {
			node.Labels, node.Annotations = merged(node.Labels, missing.Labels), merged(node.Annotations, missing.Annotations)
			node.Spec.Taints = append(slices.Clone(node.Spec.Taints), missing.Taints...)
			node.Spec.Unschedulable = node.Spec.Unschedulable || missing.Cordon
		})
	default:
		w.t.Fatalf("nobody knows how to %s", action)
	}
}

// stored returns a status after it was written and read back.
func stored(t rapid.TB, status v1alpha1.RebootRemediationStatus) v1alpha1.RebootRemediationStatus {
	data, err := json.Marshal(status)
	if err != nil {
		t.Fatalf("encoding a status: %v", err)
	}
	var read v1alpha1.RebootRemediationStatus
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatalf("decoding a status: %v", err)
	}
	return read
}

func (w *model) logf(format string, args ...any) {
	w.t.Logf("%s %-14s "+format, append([]any{w.now.Format(time.TimeOnly), w.request.status.Phase}, args...)...)
}

// String describes a decision, for the log of a failed test.
func (d Decision) String() string {
	switch {
	case d.Changed:
		message := ""
		if len(d.Status.Conditions) > 0 {
			message = d.Status.Conditions[0].Reason
		}
		return "-> " + string(d.Status.Phase) + " (" + message + ")"
	case d.Action != Nothing:
		return string(d.Action)
	}
	return "waits"
}
