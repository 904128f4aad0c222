package pause

import (
	configv1 "github.com/openshift/api/config/v1"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/noderefutil"
)

// Same reports whether two versions of an object show the same, so that no decision differs.
func Same(before, after metav1.Object) bool {
	a, b := Trim(before).(metav1.Object), Trim(after).(metav1.Object)
	a.SetResourceVersion("")
	b.SetResourceVersion("")
	return equality.Semantic.DeepEqual(a, b)
}

// Trim returns a copy of an object that has only what decisions depend on; the object itself if it is of a kind that they do not
// depend on. Machines and Nodes are many, and most of what they report changes nothing.
func Trim(obj any) any {
	switch o := obj.(type) {
	case *configv1.ClusterVersion:
		return trimVersion(o)
	case *mcfgv1.MachineConfigPool:
		return trimPool(o)
	case *clusterv1.Cluster:
		return trimCluster(o)
	case *clusterv1.MachineDeployment:
		return trimWorkers(o)
	case *clusterv1.Machine:
		return trimMachine(o)
	case *corev1.Node:
		return trimNode(o)
	case *unstructured.Unstructured:
		return trimControlPlane(o)
	case *metav1.PartialObjectMetadata:
		return &metav1.PartialObjectMetadata{TypeMeta: o.TypeMeta, ObjectMeta: identity(o)}
	}
	return obj
}

// trimVersion keeps what shows whether OpenShift upgrades.
func trimVersion(version *configv1.ClusterVersion) *configv1.ClusterVersion {
	small := &configv1.ClusterVersion{TypeMeta: version.TypeMeta, ObjectMeta: identity(version)}
	small.Status.History = version.Status.History[:min(1, len(version.Status.History))]
	if c := progressingOf(version); c.Type != "" {
		c.Message, c.Reason = "", ""
		small.Status.Conditions = []configv1.ClusterOperatorStatusCondition{c}
	}
	return small
}

// trimPool keeps what shows whether a pool updates, and whether it is stuck.
func trimPool(pool *mcfgv1.MachineConfigPool) *mcfgv1.MachineConfigPool {
	small := &mcfgv1.MachineConfigPool{TypeMeta: pool.TypeMeta, ObjectMeta: identity(pool)}
	small.Spec.Paused, small.Spec.Configuration.Name = pool.Spec.Paused, pool.Spec.Configuration.Name
	small.Status.Configuration.Name = pool.Status.Configuration.Name
	small.Status.MachineCount, small.Status.UpdatedMachineCount = pool.Status.MachineCount, pool.Status.UpdatedMachineCount
	for _, kind := range degrading {
		if c := conditionOf(pool, kind); c.Status == corev1.ConditionTrue {
			small.Status.Conditions = append(small.Status.Conditions, mcfgv1.MachineConfigPoolCondition{Type: c.Type, Status: c.Status, Message: c.Message})
		}
	}
	return small
}

// trimCluster keeps what shows what a Cluster asks for, and whether its topology upgrades.
func trimCluster(cluster *clusterv1.Cluster) *clusterv1.Cluster {
	small := &clusterv1.Cluster{TypeMeta: cluster.TypeMeta, ObjectMeta: identity(cluster)}
	small.Annotations = only(cluster.Annotations, OptionAnnotation, clusterv1.PausedAnnotation)
	small.Spec.Paused, small.Spec.ControlPlaneRef, small.Spec.Topology.Version = cluster.Spec.Paused, cluster.Spec.ControlPlaneRef, cluster.Spec.Topology.Version
	small.Status.Conditions = conditionIn(cluster.Status.Conditions, clusterv1.ClusterTopologyReconciledCondition)
	return small
}

// trimWorkers keeps what shows which version a MachineDeployment rolls out.
func trimWorkers(deployment *clusterv1.MachineDeployment) *clusterv1.MachineDeployment {
	small := &clusterv1.MachineDeployment{TypeMeta: deployment.TypeMeta, ObjectMeta: identity(deployment)}
	small.Annotations = only(deployment.Annotations, clusterv1.PausedAnnotation)
	small.Spec.ClusterName, small.Spec.Paused = deployment.Spec.ClusterName, deployment.Spec.Paused
	small.Spec.Template.Spec.Version = deployment.Spec.Template.Spec.Version
	small.Spec.Rollout.Strategy.Type = deployment.Spec.Rollout.Strategy.Type
	return small
}

// trimMachine keeps what shows which version a Machine should have, and whether its Node is Ready.
func trimMachine(machine *clusterv1.Machine) *clusterv1.Machine {
	small := &clusterv1.Machine{TypeMeta: machine.TypeMeta, ObjectMeta: identity(machine)}
	small.Annotations = only(machine.Annotations,
		clusterv1.UpdateInProgressAnnotation, clusterv1.PausedAnnotation, clusterv1.MachineSkipRemediationAnnotation)
	small.Spec.ClusterName, small.Spec.Version = machine.Spec.ClusterName, machine.Spec.Version
	small.Status.NodeInfo = NodeInfo(machine)
	small.Status.Conditions = conditionIn(machine.Status.Conditions, clusterv1.MachineNodeReadyCondition)
	return small
}

// trimNode keeps what shows which Machine a Node belongs to, and whether it is Ready.
func trimNode(node *corev1.Node) *corev1.Node {
	small := &corev1.Node{TypeMeta: node.TypeMeta, ObjectMeta: identity(node)}
	small.Labels, small.Annotations = nil, only(node.Annotations, MachineOfNode)
	if noderefutil.IsNodeReady(node) {
		small.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	}
	return small
}

// trimControlPlane keeps what shows whether a control plane upgrades. It is the only object without a Go type: it may be of any kind.
func trimControlPlane(controlPlane *unstructured.Unstructured) *unstructured.Unstructured {
	small := &unstructured.Unstructured{Object: map[string]any{}}
	for _, path := range [][]string{
		{"apiVersion"}, {"kind"}, {"metadata", "namespace"}, {"metadata", "name"}, {"metadata", "uid"}, {"metadata", "resourceVersion"},
		{"metadata", "labels"}, {"metadata", "ownerReferences"}, {"metadata", "annotations", clusterv1.PausedAnnotation},
		{"spec", "version"}, {"status", "version"}, {"status", "versions"},
	} {
		if value, ok, err := unstructured.NestedFieldCopy(controlPlane.Object, path...); ok && err == nil {
			_ = unstructured.SetNestedField(small.Object, value, path...) // its parents are maps
		}
	}
	return small
}

// identity returns the metadata that identifies an object and its version, what selects it, and what owns it.
func identity(obj metav1.Object) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: obj.GetNamespace(), Name: obj.GetName(), UID: obj.GetUID(), Labels: obj.GetLabels(), OwnerReferences: obj.GetOwnerReferences(),
		ResourceVersion: obj.GetResourceVersion(), DeletionTimestamp: obj.GetDeletionTimestamp(),
	}
}

// conditionIn returns the condition of a type, if there is one, without what it says in words.
func conditionIn(conditions []metav1.Condition, kind string) []metav1.Condition {
	c := meta.FindStatusCondition(conditions, kind)
	if c == nil {
		return nil
	}
	return []metav1.Condition{{Type: c.Type, Status: c.Status, Reason: c.Reason}}
}

// only returns the annotations with these keys.
func only(annotations map[string]string, keys ...string) map[string]string {
	some := map[string]string{}
	for _, key := range keys {
		if value, ok := annotations[key]; ok {
			some[key] = value
		}
	}
	return some
}
