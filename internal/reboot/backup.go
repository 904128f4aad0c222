package reboot

import (
	"maps"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// backUp stores what is on the Node. What an earlier attempt has stored and the Node does not have back
// yet is kept.
func (d *step) backUp() {
	if d.f.Spec.TaintsNode() {
		return
	}
	node, before := d.f.Node.Node, d.s.Node.Backup
	backup := &v1alpha1.NodeBackup{
		TakenAt: metav1.NewTime(d.now), Labels: lastingLabels(node.Labels), Annotations: lastingAnnotations(node.Annotations),
		Taints: lastingTaints(node.Spec.Taints), Unschedulable: node.Spec.Unschedulable,
	}
	if before != nil {
		backup.Labels, backup.Annotations = merged(before.Labels, backup.Labels), merged(before.Annotations, backup.Annotations)
		backup.Taints = append(backup.Taints, missingTaints(before.Taints, backup.Taints)...)
		backup.Unschedulable = backup.Unschedulable || before.Unschedulable
		backup.TakenAt = before.TakenAt
		if equality.Semantic.DeepEqual(backup, before) {
			return
		}
		backup.TakenAt = metav1.NewTime(d.now)
	}
	d.s.Node.Backup = backup
}

// merged are both, and of a key in both the later value.
func merged(earlier, later map[string]string) map[string]string {
	if len(earlier) == 0 {
		return later
	}
	all := maps.Clone(earlier)
	maps.Copy(all, later)
	return all
}
