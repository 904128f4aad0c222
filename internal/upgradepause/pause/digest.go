package pause

import (
	"fmt"

	configv1 "github.com/openshift/api/config/v1"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/annotations"
)

// Digest returns everything about an object that decisions depend on. The object shows whether something
// upgrades or is Ready.
func Digest(obj metav1.Object) string {
	switch o := obj.(type) {
	case *configv1.ClusterVersion:
		return digestOfClusterVersion(o)
	case *mcfgv1.MachineConfigPool:
		return digestOfPool(o)
	case *clusterv1.Cluster:
		return digestOfCluster(o)
	case *unstructured.Unstructured:
		target, err := controlPlaneTarget(o, &fleetState{})
		wanted, _, _ := unstructured.NestedString(o.Object, "spec", "version")
		return fmt.Sprint(wanted, target, err, annotations.HasPaused(o))
	case *clusterv1.MachineDeployment:
		cluster := &clusterv1.Cluster{}
		cluster.Name = o.Spec.ClusterName
		// It rolls out its version to every Machine with another one.
		return fmt.Sprint(workersTarget(cluster, o, &fleetState{versions: map[string]int{"": 1}}), workersPaused(cluster, o))
	case *clusterv1.Machine:
		return fmt.Sprint(o.Labels, o.Annotations, o.Spec.Version, versionLeft(o), o.DeletionTimestamp.IsZero(),
			meta.IsStatusConditionTrue(o.Status.Conditions, clusterv1.MachineNodeReadyCondition))
	case *corev1.Node:
		return fmt.Sprint(o.Labels, o.Annotations[MachineOfNode], isReady(o))
	}
	return fmt.Sprint(obj.GetLabels(), obj.GetDeletionTimestamp().IsZero())
}

func digestOfCluster(cluster *clusterv1.Cluster) string {
	reason := ""
	if c := meta.FindStatusCondition(cluster.Status.Conditions, clusterv1.ClusterTopologyReconciledCondition); c != nil {
		reason = c.Reason
	}
	return fmt.Sprint(cluster.Annotations[OptionAnnotation], cluster.Spec.ControlPlaneRef, cluster.Spec.Topology.Version, reason,
		annotations.IsPaused(cluster, cluster))
}
