package cycle

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// simKubelet registers the Node when the system has booted, and reports its state.
type simKubelet struct {
	running   bool
	startsAt  time.Time
	stoppedAt time.Time
	// registers says that it registers the Node when it starts, as it does at no other time.
	registers bool
	bootTime  time.Duration
	// dead means that the system never boots; unready that its Node registers, but never becomes
	// Ready.
	dead, unready bool
}

// simWorkload is the workload cluster.
type simWorkload struct {
	down bool
	node *corev1.Node
	// stuck means that a finalizer of somebody else, or a workload, keeps the Node from going.
	stuck          bool
	taintSupported bool
	taintedAt      time.Time
	drainTime      time.Duration
	registrations  int
}

// simLease is how long a Node stays Ready after its kubelet has stopped reporting.
const simLease = 40 * time.Second

func (k *simKubelet) boot(now time.Time) {
	k.running, k.startsAt = false, time.Time{}
	if !k.dead {
		k.startsAt = now.Add(k.bootTime)
	}
}

func (k *simKubelet) stop(now time.Time) {
	if k.running {
		k.stoppedAt = now
	}
	k.running, k.startsAt, k.registers = false, time.Time{}, false
}

// due returns when the kubelet, or the node controller, does something by itself.
func (k *simKubelet) due(w *model) time.Time {
	if !k.startsAt.IsZero() {
		return k.startsAt
	}
	if node := w.workload.node; !k.running && node != nil && Ready(node) {
		return k.stoppedAt.Add(simLease)
	}
	return time.Time{}
}

func (k *simKubelet) happen(w *model) bool {
	switch node := w.workload.node; {
	case !k.startsAt.IsZero() && !k.startsAt.After(w.now):
		k.running, k.startsAt, k.registers = true, time.Time{}, true
	case k.running && k.registers && !w.workload.down:
		k.registers = false
		w.register()
	case !k.running && node != nil && Ready(node) && !k.stoppedAt.Add(simLease).After(w.now):
		setReady(node, corev1.ConditionUnknown, readyOf(node).LastHeartbeatTime.Time)
	default:
		return false
	}
	return true
}

// register creates the Node if it does not exist.
func (w *model) register() {
	if w.workload.node == nil {
		w.workload.registrations++
		w.workload.node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{
			Name: "n1", UID: types.UID(fmt.Sprintf("node-%d", w.workload.registrations)), ResourceVersion: "1",
			CreationTimestamp: metav1.NewTime(w.now.Truncate(time.Second)),
			Labels:            map[string]string{corev1.LabelHostname: "n1"},
		}}
		w.workload.taintedAt = time.Time{}
	}
	w.machine.node = "n1"
	w.report()
}

// report does what a running kubelet does all the time.
func (w *model) report() {
	if node := w.workload.node; node != nil && w.kubelet.running && !w.workload.down {
		node.Status.NodeInfo.BootID = fmt.Sprintf("boot-%d", w.iron.boots)
		status := corev1.ConditionTrue
		if w.kubelet.unready {
			status = corev1.ConditionFalse
		}
		setReady(node, status, w.now)
	}
}

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

// changeNode changes the Node's metadata or spec, as anybody may.
func (w *model) changeNode(change func(*corev1.Node)) {
	if w.workload.node == nil {
		return
	}
	node := w.workload.node.DeepCopy()
	change(node)
	node.ResourceVersion += "1"
	w.workload.node = node
}

// removeNode deletes the Node, as anybody may.
func (w *model) removeNode() {
	if w.workload.stuck {
		w.changeNode(func(node *corev1.Node) { node.DeletionTimestamp = new(metav1.NewTime(w.now)) })
		return
	}
	w.workload.node = nil
}

// letGo removes whatever keeps the Node.
func (w *model) letGo() {
	w.workload.stuck = false
	if node := w.workload.node; node != nil && node.DeletionTimestamp != nil {
		w.workload.node = nil
	}
}

// nodeFacts returns what can be read of the Node.
func (w *model) nodeFacts() NodeFacts {
	w.report()
	name := w.machine.node
	if recorded := w.request.status.Node; recorded != nil {
		name = recorded.Name
	}
	switch {
	case name == "":
		return NodeFacts{State: NodeNone}
	case w.workload.down:
		return NodeFacts{State: NodeUnreadable, Cause: "no connection"}
	case w.workload.node == nil:
		return NodeFacts{State: NodeGone}
	}
	node := w.workload.node.DeepCopy()
	return NodeFacts{
		State: NodeFound, Node: node, Tainted: Tainted(node), TaintSupported: w.workload.taintSupported,
		Drained: Tainted(node) && !w.workload.stuck && !w.now.Before(w.workload.taintedAt.Add(w.workload.drainTime)),
	}
}

func (w *model) taint() {
	w.workload.taintedAt = w.now
	w.changeNode(func(node *corev1.Node) { node.Spec.Taints = append(slices.Clone(node.Spec.Taints), OutOfService) })
}

func (w *model) untaint() {
	w.changeNode(func(node *corev1.Node) {
		node.Spec.Taints = slices.DeleteFunc(slices.Clone(node.Spec.Taints), func(t corev1.Taint) bool { return t == OutOfService })
	})
}
