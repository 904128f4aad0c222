package cycle

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// backUp stores what is on the Node. It keeps what an earlier cycle stored and the Node does not have
// back yet.
func (d *draft) backUp() {
	if d.taintsNode() {
		return
	}
	node, before := d.f.Node.Node, d.s.Node.Backup
	backup := &v1alpha1.NodeBackup{
		TakenAt: metav1.NewTime(d.now), Labels: lastingLabels(node.Labels), Annotations: lastingAnnotations(node.Annotations),
		Taints: lastingTaints(node.Spec.Taints), Unschedulable: node.Spec.Unschedulable, ProviderID: node.Spec.ProviderID,
	}
	if before != nil {
		backup = combined(before, backup)
		backup.TakenAt = before.TakenAt
		if equality.Semantic.DeepEqual(backup, before) {
			return
		}
		backup.TakenAt = metav1.NewTime(d.now)
	}
	d.s.Node.Backup = backup
}

// combined merges two backups; where both have a key, the later value wins.
func combined(earlier, later *v1alpha1.NodeBackup) *v1alpha1.NodeBackup {
	if earlier == nil || later == nil {
		return cmp.Or(later, earlier)
	}
	all := *later
	all.Labels, all.Annotations = merged(earlier.Labels, later.Labels), merged(earlier.Annotations, later.Annotations)
	all.Taints = append(slices.Clone(later.Taints), missingTaints(earlier.Taints, later.Taints)...)
	all.Unschedulable = earlier.Unschedulable || later.Unschedulable
	all.ProviderID = cmp.Or(later.ProviderID, earlier.ProviderID)
	return &all
}

// merged merges two maps; where both have a key, the later value wins.
func merged(earlier, later map[string]string) map[string]string {
	if len(earlier) == 0 {
		return later
	}
	all := maps.Clone(earlier)
	maps.Copy(all, later)
	return all
}
