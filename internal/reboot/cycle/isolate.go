package cycle

import (
	"cmp"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// isolateTimeout is how long the Node may take to be gone, or its workloads to be released, once the host is off. It is short: the
// workload cluster may depend on this very host, and what ran on it has stopped anyway.
const isolateTimeout = 2 * time.Minute

// TaintsNode reports whether a cycle taints the Node rather than deletes it.
func TaintsNode(spec *v1alpha1.RebootRemediationSpec, status *v1alpha1.RebootRemediationStatus) bool {
	return cmp.Or(spec.Isolation, status.Isolation) == v1alpha1.OutOfServiceTaint
}

func (d *draft) taintsNode() bool { return TaintsNode(&d.f.Spec, &d.s) }

// chooseIsolation decides how the cycle takes the Node out of service, if nobody has. A Cluster Autoscaler removes an instance that has no Node
// for some time, so the Node of one that it looks after stays registered.
func (d *draft) chooseIsolation() {
	if d.f.Spec.Isolation == "" && d.f.Machine.Autoscaled {
		d.s.Isolation = v1alpha1.OutOfServiceTaint
	}
}

// fenced decides what to do with the Node, now that the host is off.
func (d *draft) fenced() {
	switch {
	case !d.provenOff():
		d.backToPowerOff()
	case d.f.wants(v1alpha1.StepDelete) && d.s.IsolatedAt == nil:
		d.beginIsolation()
	default:
		d.goOnAfterIsolation()
	}
}

// beginIsolation takes the Node out of service, if it exists and is the recorded one.
func (d *draft) beginIsolation() {
	if d.s.IsolatingSince == nil {
		d.s.IsolatingSince = d.time()
	}
	switch n := d.f.Node; {
	case n.State == NodeUnreadable:
		d.condition(v1alpha1.ConditionNodeIsolated, metav1.ConditionFalse, v1alpha1.ReasonNodeUnreadable, n.Cause)
		if d.overdue() {
			d.skipIsolation(v1alpha1.ReasonNodeUnreadable, n.Cause)
		}
	case n.State != NodeFound:
		d.withoutNode()
	case d.taintsNode() && !n.TaintSupported:
		d.skipIsolation(v1alpha1.ReasonTaintUnsupported, d.untaintable())
	case d.s.Node != nil && d.s.Node.UID != "" && d.s.Node.UID != n.Node.UID:
		d.skipIsolation(v1alpha1.ReasonNodeReplaced, "Node "+n.Node.Name+" is not the one that was there when the cycle began")
		// It too must boot before it counts as back.
		d.identify(n.Node)
	default:
		d.takeOut(n.Node)
	}
}

// untaintable says why the Node is not tainted, and not deleted instead.
func (d *draft) untaintable() string {
	const old = "The workload cluster is older than 1.28"
	if d.f.Spec.Isolation != "" {
		return old
	}
	return old + ", and a Cluster Autoscaler, which looks after the machine, might remove it without its Node: the Node is left as it is"
}

// takeOut records what is needed to put a Node back in service, before the Node is taken out of service.
func (d *draft) takeOut(node *corev1.Node) {
	if d.s.Node == nil {
		d.s.Node = &v1alpha1.NodeRecord{Name: node.Name}
	}
	d.identify(node)
	d.s.Node.OutOfService = true
	d.backUp()
	d.enter(v1alpha1.Isolating, "The host is off; the Node is taken out of service")
}

// withoutNode goes on without a Node: there never was one, or it is gone already.
func (d *draft) withoutNode() {
	d.s.NodeGoneAt = d.time()
	switch {
	case d.s.Node == nil:
		d.skipIsolation(v1alpha1.ReasonNoNode, "The machine has no Node")
	case d.s.Node.Backup != nil:
		d.endIsolation(metav1.ConditionTrue, v1alpha1.ReasonNodeDeleted, "Node "+d.s.Node.Name+" is deleted")
	default:
		d.skipIsolation(v1alpha1.ReasonNoNode, "Node "+d.s.Node.Name+" is gone already")
	}
}

// isolate takes the Node out of service. The host has been read live: if it is no longer proven off, isolate does not touch the
// Node.
func (d *draft) isolate() {
	n, found := d.f.Node, d.f.Node.State == NodeFound
	switch {
	case n.State == NodeGone || found && n.Node.UID != d.s.Node.UID:
		d.s.NodeGoneAt = d.time()
		d.endIsolation(metav1.ConditionTrue, v1alpha1.ReasonNodeDeleted, "Node "+d.s.Node.Name+" is deleted")
	case !d.provenOff():
		d.backToPowerOff()
	case found && d.taintsNode() && n.Tainted && n.Drained:
		d.endIsolation(metav1.ConditionTrue, v1alpha1.ReasonNodeTainted, "All workloads of Node "+d.s.Node.Name+" are released")
	case d.overdue():
		d.endIsolation(metav1.ConditionFalse, v1alpha1.ReasonIsolationTimedOut, "Node "+d.s.Node.Name+" was not released within "+isolateTimeout.String())
	case !found:
		d.condition(v1alpha1.ConditionNodeIsolated, metav1.ConditionFalse, v1alpha1.ReasonNodeUnreadable, n.Cause)
	default:
		d.touchNode()
	}
}

// touchNode is the only place that takes a Node out of service.
func (d *draft) touchNode() {
	n := d.f.Node
	switch {
	case d.taintsNode() && !n.Tainted:
		d.choose(TaintNode)
	case !d.taintsNode() && n.Node.DeletionTimestamp.IsZero():
		// First store what somebody has put on the Node since.
		d.backUp()
		d.choose(DeleteNode)
	}
}

func (d *draft) skipIsolation(reason, message string) {
	d.endIsolation(metav1.ConditionFalse, reason, message)
}

func (d *draft) endIsolation(status metav1.ConditionStatus, reason, message string) {
	d.condition(v1alpha1.ConditionNodeIsolated, status, reason, message)
	d.s.IsolatedAt = d.time()
	d.goOnAfterIsolation()
}

// goOnAfterIsolation releases the host. A cycle that was made to stop here holds it first, until nothing on the Machine asks for what is done:
// afterwards, that would ask for another cycle.
func (d *draft) goOnAfterIsolation() {
	if d.f.Full() {
		d.release()
		return
	}
	d.enterHolding()
}

// OutOfService is the taint that makes Kubernetes delete the Pods of a Node and detach their volumes at once.
var OutOfService = corev1.Taint{Key: corev1.TaintNodeOutOfService, Value: "nodeshutdown", Effect: corev1.TaintEffectNoExecute}

// Tainted reports whether a Node has the out-of-service taint, no matter who set it.
func Tainted(node *corev1.Node) bool {
	return len(missingTaints([]corev1.Taint{OutOfService}, node.Spec.Taints)) == 0
}

// OurTaint reports whether a taint is the one that we set. Somebody else's may have another value.
func OurTaint(t corev1.Taint) bool {
	return t.Key == OutOfService.Key && t.Value == OutOfService.Value && t.Effect == OutOfService.Effect
}
