package reboot

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
)

// waitForNode waits until the Node is back, after the host.
func (d *step) waitForNode() {
	switch {
	case d.back():
		d.s.NodeBackAt = d.time()
		d.enter(v1alpha1.Restoring, "The Node is back; what it had is put back")
	case d.f.Host.Obstacle == v1alpha1.ReasonHostServicing:
		// Its firmware is being worked on, with as many reboots as that takes.
		d.hostCondition(d.f.Host.Obstacle, d.f.Host.Message)
		d.s.LastPoweredOn = d.time()
	case d.passed(d.s.LastPoweredOn, d.f.Spec.NodeTimeout()):
		d.fail(v1alpha1.ReasonNodeTimedOut, "The Node did not come back within "+d.f.Spec.NodeTimeout().String())
	}
}

// back tells whether the Node has come back: another one than was deleted or, if none was, one that has
// booted since.
func (d *step) back() bool {
	node := d.f.Node.Node
	if d.f.Node.State != machinehealth.NodeFound || d.s.LastPoweredOn == nil {
		return false
	}
	if d.s.Node == nil || (d.s.Node.UID != "" && node.UID != d.s.Node.UID) {
		return true
	}
	if !ready(node) {
		return false
	}
	bootID := node.Status.NodeInfo.BootID
	if d.s.Node.BootID != "" {
		return bootID != d.s.Node.BootID
	}
	return heartbeat(node).After(d.s.LastPoweredOn.Time)
}

// restore puts back what is missing on the Node, and sees that it is there.
func (d *step) restore() {
	n := d.f.Node
	switch {
	case d.passed(d.s.NodeBackAt, d.f.Spec.NodeTimeout()):
		d.condition(v1alpha1.ConditionNodeRestored, metav1.ConditionFalse, v1alpha1.ReasonNodeTimedOut, "Not everything could be put back")
		d.fail(v1alpha1.ReasonNodeTimedOut, "What the Node had could not be put back within "+d.f.Spec.NodeTimeout().String())
	case n.State != machinehealth.NodeFound:
	case n.Tainted && d.f.Spec.TaintsNode():
		d.act(UntaintNode)
	case d.s.Node != nil && d.s.Node.Backup != nil && Missing(d.s.Node.Backup, n.Node).Any():
		d.act(RestoreNode)
	default:
		d.condition(v1alpha1.ConditionNodeRestored, metav1.ConditionTrue, "NodeRestored", "")
		if d.s.Node != nil {
			d.s.Node.Backup = nil
		}
		d.succeed("The host has been off and is on again, and its Node is back")
	}
}

func (d *step) succeed(message string) {
	d.end(v1alpha1.Succeeded, string(v1alpha1.Succeeded), message)
}

// MissingParts are what has to be put back on a Node.
type MissingParts struct {
	Labels, Annotations map[string]string
	Taints              []corev1.Taint
	Cordon              bool
}

// Any tells whether there is anything.
func (m MissingParts) Any() bool {
	return len(m.Labels)+len(m.Annotations)+len(m.Taints) > 0 || m.Cordon
}

// Missing compares a backup with a Node. What the Node has is newer, and is never overwritten.
func Missing(backup *v1alpha1.NodeBackup, node *corev1.Node) MissingParts {
	return MissingParts{
		Labels:      absent(backup.Labels, node.Labels),
		Annotations: absent(backup.Annotations, node.Annotations),
		Taints:      missingTaints(backup.Taints, node.Spec.Taints),
		Cordon:      backup.Unschedulable && !node.Spec.Unschedulable,
	}
}

func absent(wanted, present map[string]string) map[string]string {
	missing := map[string]string{}
	for key, value := range wanted {
		if _, ok := present[key]; !ok {
			missing[key] = value
		}
	}
	return missing
}

func ready(node *corev1.Node) bool {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

func heartbeat(node *corev1.Node) metav1.Time {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.LastHeartbeatTime
		}
	}
	return metav1.Time{}
}
