package pause

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// Trim drops the fields that nobody reads from Machines, Nodes and control planes. Machines and Nodes are many; control planes may be of
// any kind, and are the only objects without a Go type. It reports whether obj is one of these.
func Trim(obj any) (any, bool) {
	switch o := obj.(type) {
	case *unstructured.Unstructured:
		trim(o)
		return o, true
	case *clusterv1.Machine:
		return trimMachine(o), true
	case *corev1.Node:
		return trimNode(o), true
	}
	return obj, false
}

// trimMachine keeps what shows which version a Machine should have, and whether its Node is Ready.
func trimMachine(machine *clusterv1.Machine) *clusterv1.Machine {
	small := &clusterv1.Machine{TypeMeta: machine.TypeMeta, ObjectMeta: identity(machine)}
	small.Labels = machine.Labels
	small.Annotations = only(machine.Annotations,
		clusterv1.UpdateInProgressAnnotation, clusterv1.PausedAnnotation, clusterv1.MachineSkipRemediationAnnotation)
	small.Spec.ClusterName, small.Spec.Version = machine.Spec.ClusterName, machine.Spec.Version
	if left := versionLeft(machine); left != "" {
		small.Status.NodeInfo = &corev1.NodeSystemInfo{KubeletVersion: left}
	}
	if ready := meta.FindStatusCondition(machine.Status.Conditions, clusterv1.MachineNodeReadyCondition); ready != nil {
		small.Status.Conditions = []metav1.Condition{{Type: ready.Type, Status: ready.Status}}
	}
	return small
}

// trimNode keeps what shows which Machine a Node belongs to, what selects it, and whether it is Ready.
func trimNode(node *corev1.Node) *corev1.Node {
	small := &corev1.Node{TypeMeta: node.TypeMeta, ObjectMeta: identity(node)}
	small.Labels, small.Annotations = node.Labels, only(node.Annotations, MachineOfNode)
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			small.Status.Conditions = []corev1.NodeCondition{{Type: c.Type, Status: c.Status}}
		}
	}
	return small
}

// identity returns the metadata that identifies an object and its version.
func identity(obj metav1.Object) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: obj.GetNamespace(), Name: obj.GetName(), UID: obj.GetUID(),
		ResourceVersion: obj.GetResourceVersion(), DeletionTimestamp: obj.GetDeletionTimestamp(),
	}
}

// only returns the annotations with these keys; nil if there are none.
func only(annotations map[string]string, keys ...string) map[string]string {
	var some map[string]string
	for _, key := range keys {
		value, ok := annotations[key]
		if !ok {
			continue
		}
		if some == nil {
			some = map[string]string{}
		}
		some[key] = value
	}
	return some
}

// trim keeps what shows whether a control plane upgrades.
func trim(controlPlane *unstructured.Unstructured) {
	full := controlPlane.Object
	controlPlane.Object = map[string]any{"apiVersion": full["apiVersion"], "kind": full["kind"], "metadata": full["metadata"]}
	controlPlane.SetManagedFields(nil)
	controlPlane.SetAnnotations(only(controlPlane.GetAnnotations(), clusterv1.PausedAnnotation))
	keepFields(full, controlPlane.Object, "spec", "version")
	keepFields(full, controlPlane.Object, "status", "version", "versions")
}

// keepFields copies these fields of one part of an object.
func keepFields(from, to map[string]any, part string, fields ...string) {
	before, ok := from[part].(map[string]any)
	if !ok {
		return
	}
	after := map[string]any{}
	for _, field := range fields {
		if value, ok := before[field]; ok {
			after[field] = value
		}
	}
	to[part] = after
}
