package cycle

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
	"sigs.k8s.io/cluster-api/controllers/noderefutil"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// model plays decisions in sequence: what they write is in the facts of the next one, and the host, its operator and its kubelet do what they are told.
// What others do meanwhile, and how writes go wrong, is for the explorer (sim/explore), which plays the real controllers.
type model struct {
	t   rapid.TB
	f   Facts
	now time.Time
	// still keeps everything as it was read, except what we write.
	still bool
	// offDelay and onDelay are how long switching takes, and bootTime how long the system takes from then until its Node is Ready.
	offDelay, onDelay, bootTime time.Duration
	// doing is what the machine does by itself, and due when that is done.
	doing string
	due   time.Time
	// boots counts how often the host came on, booted in which of these its system came up, and cycles how often it went off with our key on it.
	boots, booted, cycles int
	// keySeenAt is since when our key is there, and recheckAt when the last decision wants another look.
	keySeenAt, recheckAt time.Time
}

// play returns a model in which a cycle has been asked for, of a machine whose Node is not Ready.
func play(t rapid.TB, f Facts) *model {
	return &model{t: t, f: f, now: noon.Time, offDelay: 5 * time.Second, onDelay: 5 * time.Second, bootTime: 30 * time.Second, boots: 1, booted: 1}
}

// step carries out one decision. It reports whether there was anything to do.
func (w *model) step() bool {
	if n := w.f.Node.Node; n != nil && w.f.Host.PoweredOn && noderefutil.IsNodeReady(n) {
		setReady(n, corev1.ConditionTrue, w.now)
	}
	w.f.Host.KeySeenFor = 0
	if w.f.Host.Key {
		w.f.Host.KeySeenFor = w.now.Sub(w.keySeenAt)
	}
	d := Decide(w.f, w.now)
	w.recheckAt = d.RecheckAt
	if d.Changed {
		w.f.Status = stored(w.t, d.Status)
		w.t.Logf("%s %s", w.now.Sub(noon.Time), d)
		return true
	}
	if d.Action != Nothing {
		w.t.Logf("%s %s", w.now.Sub(noon.Time), d)
		return w.act(d)
	}
	return false
}

// act reports whether anything has changed.
func (w *model) act(d Decision) bool {
	f, h := &w.f, &w.f.Host
	switch d.Action {
	case AddFinalizer:
		f.Finalizer, f.NodeFinalizer = true, true
	case RemoveFinalizer:
		f.Finalizer, f.NodeFinalizer = false, f.NodeFinalizer && OwesAnything(&f.Status)
	case RemoveNodeFinalizer:
		f.NodeFinalizer = false
	case SetKey:
		if !h.Key {
			w.keySeenAt = w.now
		}
		h.Key, h.Probe, h.ProbedAt = true, true, d.ProbedAt.Truncate(time.Second)
	case RemoveKey:
		h.Key, h.Probe, h.ProbedAt = false, false, time.Time{}
	case MarkHost, UnmarkHost:
		h.UnhealthyByUs = d.Action == MarkHost
		h.Unhealthy = h.UnhealthyByUs
	case DropAsked, DropFull:
		f.Machine.AsksFull = f.Machine.AsksFull && d.Action != DropFull
		for _, step := range d.Done {
			delete(f.Machine.Steps, step)
		}
	default:
		return w.actOnNode(d.Action)
	}
	return true
}

func (w *model) actOnNode(action Action) bool {
	node := w.f.Node.Node
	switch {
	case w.f.Node.State != NodeFound:
		w.t.Fatalf("%s, and there is no Node", action)
	case w.still:
		// Somebody keeps it as it is.
		return false
	case action == DeleteNode:
		nodeGone(&w.f)
		return true
	case action == TaintNode:
		node.Spec.Taints = append(node.Spec.Taints, OutOfService)
	case action == UntaintNode:
		node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, OurTaint)
	case action == RestoreNode:
		missing := Missing(w.f.Status.Node.Backup, node)
		node.Labels, node.Annotations = merged(node.Labels, missing.Labels), merged(node.Annotations, missing.Annotations)
		node.Spec.Taints = append(node.Spec.Taints, missing.Taints...)
		node.Spec.Unschedulable = node.Spec.Unschedulable || missing.Cordon
	default:
		w.t.Fatalf("nobody knows how to %s", action)
	}
	w.f.Node.Tainted = Tainted(node)
	w.f.Node.Drained = w.f.Node.Tainted
	return true
}

// next returns when the machine does something by itself, and what; nil if it does nothing.
func (w *model) next() (time.Time, func()) {
	h := &w.f.Host
	wanted := h.Online && !h.Key && !h.Probe && !h.OtherKeys
	doing, takes, happen := "", time.Duration(0), (func())(nil)
	switch {
	case w.still || h.Obstacle != "" || h.Missing != "":
	case !h.PoweredOn && h.Probe:
		doing, takes, happen = "answers", time.Second, func() { h.Probe = false }
	case h.PoweredOn && !wanted:
		doing, takes, happen = "goes off", w.offDelay, w.goesOff
	case !h.PoweredOn && wanted:
		doing, takes, happen = "comes on", w.onDelay, w.comesOn
	case h.PoweredOn && w.boots > w.booted:
		doing, takes, happen = "boots", w.bootTime, w.comesUp
	}
	if doing != w.doing {
		w.doing, w.due = doing, w.now.Add(takes)
	}
	return w.due, happen
}

func (w *model) goesOff() {
	w.f.Host.PoweredOn = false
	if w.f.Host.Key {
		w.cycles++
	}
	if w.f.Node.State == NodeFound {
		setReady(w.f.Node.Node, corev1.ConditionUnknown, w.now)
	}
}

func (w *model) comesOn() {
	w.f.Host.PoweredOn = true
	w.boots++
}

// comesUp registers the Node if it is gone, and makes it Ready.
func (w *model) comesUp() {
	w.booted = w.boots
	boot := fmt.Sprint("boot-", w.boots)
	switch w.f.Node.State {
	case NodeUnreadable:
		return
	case NodeFound:
		w.f.Node.Node.Status.NodeInfo.BootID = boot
	default:
		fresh := nodeOf(types.UID(fmt.Sprint("node-", w.boots)), boot)
		fresh.CreationTimestamp = metav1.NewTime(w.now)
		nodeIs(fresh)(&w.f)
		w.f.Machine.Node = fresh.Name
	}
	setReady(w.f.Node.Node, corev1.ConditionTrue, w.now)
}

// goOn plays for a while, and stops when the cycle is over. It reports whether it is.
func (w *model) goOn(limit time.Duration) bool { return w.goOnUntil(limit, w.over) }

// goOnUntil plays for a while, or until something is so. It looks when a decision asks for it, when something changes, and now and then while it waits for the
// Node, as the controller does.
func (w *model) goOnUntil(limit time.Duration, is func() bool) bool {
	for end := w.now.Add(limit); ; {
		for n := 0; !is() && w.step(); n++ {
			if n == maxSteps {
				w.t.Fatalf("it does not settle in phase %s", w.f.Status.Phase)
			}
		}
		if is() {
			return true
		}
		at, happen := w.next()
		for _, look := range []time.Time{w.recheckAt, w.lookAt()} {
			if !look.IsZero() && (happen == nil || look.Before(at)) {
				at, happen = look, func() {}
			}
		}
		if happen == nil || at.After(end) {
			w.now = end
			return false
		}
		w.now = at
		happen()
	}
}

// lookAt is when the controller looks for the Node; zero if it does not.
func (w *model) lookAt() time.Time {
	if !LooksForNode(w.f.Status.Phase) {
		return time.Time{}
	}
	return w.now.Add(lookAgain)
}

func (w *model) over() bool { return w.f.Status.Phase.Ended() && !w.f.Finalizer }

// ended plays to the end, at which nothing may be left on the host.
func (w *model) ended(limit time.Duration) v1alpha1.RebootRemediationStatus {
	if !w.goOn(limit) {
		w.t.Fatalf("no end in sight, in phase %s: %+v", w.f.Status.Phase, w.f.Status.Conditions)
	}
	w.goOnAfterwards()
	return w.f.Status
}

// goOnAfterwards checks what is left on the host some time after the end.
func (w *model) goOnAfterwards() {
	w.goOnUntil(time.Hour, func() bool { return false })
	if h := w.f.Host; h.Missing == "" && h.UID == "h-1" && (h.Key || h.Probe || !h.PoweredOn) {
		w.t.Fatalf("the host is left as %+v", h)
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
