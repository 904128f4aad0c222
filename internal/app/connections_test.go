package app

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestControlPlaneInitialized: a Cluster with a controlPlaneRef reports it in its status, every Cluster in a
// condition.
func TestControlPlaneInitialized(t *testing.T) {
	condition := func(status metav1.ConditionStatus) func(*clusterv1.Cluster) {
		return func(c *clusterv1.Cluster) {
			c.Status.Initialization.ControlPlaneInitialized = nil
			c.Status.Conditions = []metav1.Condition{{Type: clusterv1.ClusterControlPlaneInitializedCondition, Status: status}}
		}
	}
	tests := map[string]struct {
		cluster *clusterv1.Cluster
		change  func(*clusterv1.Cluster)
		want    bool
	}{
		"its status says so":         {build.Cluster("ns", "c"), func(c *clusterv1.Cluster) { c.Status.Conditions = nil }, true},
		"its status says no":         {build.Cluster("ns", "c", build.ControlPlaneNotInitialized()), func(c *clusterv1.Cluster) { c.Status.Conditions = nil }, false},
		"only the condition says so": {build.Cluster("ns", "c"), condition(metav1.ConditionTrue), true},
		"the condition says no":      {build.Cluster("ns", "c"), condition(metav1.ConditionFalse), false},
		"nothing is said":            {&clusterv1.Cluster{}, func(*clusterv1.Cluster) {}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.change(tt.cluster)
			if got := controlPlaneInitialized(tt.cluster); got != tt.want {
				t.Errorf("initialized is %t, want %t", got, tt.want)
			}
		})
	}
}
