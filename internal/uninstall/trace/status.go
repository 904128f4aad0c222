package trace

import (
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// statusOf finds our conditions and our other fields in a status. One write removes them all, because owners of machines act on the
// verdict and the mark together. It removes a list or a status that becomes empty as a whole, since the API may reject an empty
// one.
func statusOf(obj *unstructured.Unstructured) (f Finding) {
	status, _, _ := unstructured.NestedMap(obj.Object, "status")
	left := len(status)
	conditions, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	kept := len(conditions)
	for i, item := range slices.Backward(conditions) {
		condition, _ := item.(map[string]any)
		if !ourCondition(obj, condition) {
			continue
		}
		list := "/status/conditions"
		f.takeItem(list, i, "/type", condition["type"])
		remove := f.Patch[len(f.Patch)-1]
		f.Patch[len(f.Patch)-1] = ownwrites.Test(remove.Path+"/status", condition["status"])
		f.Patch = append(f.Patch, ownwrites.Test(remove.Path+"/reason", condition["reason"]), remove)
		f.What = append(f.What, "condition "+text(condition["type"]))
		kept--
	}
	slices.Reverse(f.What)
	if kept == 0 && len(conditions) > 0 {
		f.take("/status/conditions", nil)
		left--
	}
	for _, name := range slices.Sorted(maps.Keys(status)) {
		if name != "conditions" && alone(obj, "f:"+name, "f:status") {
			f.take(ownwrites.Path("/status", name), nil)
			f.What = append(f.What, "status."+name)
			left--
		}
	}
	if left == 0 && len(f.What) > 0 {
		f.take("/status", nil)
	}
	f.Status = true
	return f.of(obj)
}

// ourCondition reports whether a condition is ours to remove. The condition that asks a machine's owner for a replacement is
// removed even if the owner has answered it, unless the machine is already being deleted.
func ourCondition(obj *unstructured.Unstructured, condition map[string]any) bool {
	name := key("type", text(condition["type"]))
	if condition["type"] == clusterv1.MachineOwnerRemediatedCondition && condition["status"] == string(metav1.ConditionFalse) {
		return owns(fieldsOf(obj, true, "f:status", "f:conditions"), name) && obj.GetDeletionTimestamp() == nil &&
			condition["reason"] != clusterv1.MachineSetMachineRemediationMachineDeletingReason
	}
	return alone(obj, name, "f:status", "f:conditions")
}

func text(value any) string {
	text, _ := value.(string)
	return text
}

// metadataOf finds the label and the owner reference that Sickbay, like Cluster API, ensures on a MachineHealthCheck.
func metadataOf(obj *unstructured.Unstructured) (f Finding) {
	for _, name := range []string{clusterv1.ClusterNameLabel} {
		if value, ok := obj.GetLabels()[name]; ok && alone(obj, "f:"+name, "f:metadata", "f:labels") {
			f.take(ownwrites.Path("/metadata/labels", name), value)
			f.What = append(f.What, "label "+name)
		}
	}
	for i, ref := range slices.Backward(obj.GetOwnerReferences()) {
		if alone(obj, key("uid", string(ref.UID)), "f:metadata", "f:ownerReferences") && strings.HasPrefix(ref.APIVersion, clusterv1.GroupVersion.Group) {
			f.takeItem("/metadata/ownerReferences", i, "/uid", ref.UID)
			f.What = append(f.What, "owner reference to "+ref.Kind+" "+ref.Name)
		}
	}
	return f.of(obj)
}
