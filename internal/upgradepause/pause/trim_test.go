package pause

import (
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func TestOnlyWhatDecisionsDependOnWakesSomebodyUp(t *testing.T) {
	version := versionWith(configv1.ConditionTrue, entry(configv1.PartialUpdate, "4.17.3", 1), entry(configv1.CompletedUpdate, "4.16.1", 0))
	machine := build.Machine("ns", "m")
	node := &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}
	cluster := withTopology(metav1.ConditionFalse, clusterv1.ClusterTopologyReconciledFailedReason)
	md, cp := deployment("v1.31.0").deployment, plane("v1.31.0", planeVersions("v1.31.0"))
	pool := workers(3, 1, corev1.ConditionTrue)
	for name, tt := range map[string]struct {
		before metav1.Object
		after  func(metav1.Object)
		same   bool
	}{
		"a version of the object":   {cluster, func(o metav1.Object) { o.SetResourceVersion("8"); o.SetGeneration(8) }, true},
		"an annotation of others":   {machine, func(o metav1.Object) { o.SetAnnotations(keyed("note")) }, true},
		"ClusterVersion: progress":  {version, func(o metav1.Object) { o.(*configv1.ClusterVersion).Status.Conditions[1].Message = "80%" }, true},
		"ClusterVersion: history":   {version, func(o metav1.Object) { h := &o.(*configv1.ClusterVersion).Status.History; *h = (*h)[:1] }, true},
		"ClusterVersion: completed": {version, func(o metav1.Object) { o.(*configv1.ClusterVersion).Status.History[0].State = configv1.CompletedUpdate }, false},
		"pool: one more":            {pool, func(o metav1.Object) { *o.(*mcfgv1.MachineConfigPool) = *workers(3, 2, corev1.ConditionTrue) }, false},
		"pool: degraded":            {pool, func(o metav1.Object) { degraded(o.(*mcfgv1.MachineConfigPool), "x") }, false},
		"Cluster: asks":             {cluster, func(o metav1.Object) { o.SetAnnotations(keyed(OptionAnnotation)) }, false},
		"Cluster: reason": {cluster, func(o metav1.Object) {
			o.(*clusterv1.Cluster).Status = withTopology(metav1.ConditionTrue, "Other").Status
		}, false},
		"workers: another version": {&md, func(o metav1.Object) { o.(*clusterv1.MachineDeployment).Spec.Template.Spec.Version = "v1.32.0" }, false},
		"workers: more of them":    {&md, func(o metav1.Object) { o.(*clusterv1.MachineDeployment).Spec.Replicas = new(int32(9)) }, true},
		"control plane: version": {cp, func(o metav1.Object) {
			_ = unstructured.SetNestedField(o.(*unstructured.Unstructured).Object, "v1.32.0", "spec", "version")
		}, false},
		"Machine: phase":   {machine, func(o metav1.Object) { o.(*clusterv1.Machine).Status.Phase = "Running" }, true},
		"Machine: version": {machine, func(o metav1.Object) { o.(*clusterv1.Machine).Spec.Version = "v1.32.0" }, false},
		"Machine: skipped": {machine, func(o metav1.Object) { o.SetAnnotations(keyed(clusterv1.MachineSkipRemediationAnnotation)) }, false},
		"Node: heartbeat":  {node, func(o metav1.Object) { o.(*corev1.Node).Status.Conditions[0].LastHeartbeatTime = metav1.NewTime(noon) }, true},
		"Node: not Ready":  {node, func(o metav1.Object) { o.(*corev1.Node).Status.Conditions[0].Status = corev1.ConditionFalse }, false},
		"metadata: labels": {&metav1.PartialObjectMetadata{}, func(o metav1.Object) { o.SetLabels(keyed("a")) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			after := tt.before.(runtime.Object).DeepCopyObject().(metav1.Object)
			tt.after(after)
			if got := Same(tt.before, after); got != tt.same {
				t.Errorf("got %t", got)
			}
		})
	}
}

func keyed(key string) map[string]string { return map[string]string{key: "x"} }
