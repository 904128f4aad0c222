package pause

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// TestManagedMinorOnly: a managed control plane may report its minor version alone. Then there is no patch level to compare.
func TestManagedMinorOnly(t *testing.T) {
	for _, v := range []struct {
		spec, status string
		going        bool
	}{
		{"v1.31.4", "1.31", false},
		{"v1.31.4", "v1.31", false},
		{"v1.31", "1.31", false},
		{"v1.31", "v1.31.4", false},
		{"v1.31", "v1.31.0-eks-1234", false},
		{"v1.31.0-rc.1", "1.31", false},
		{"v1.31.4+build", "1.31", false},
		{"v1.31.4", "v1.30", true},
		{"v1.31", "1.30", true},
		{"v1.31", "v1.30.9", true},
		{"v1.31.4", "v1.31.0", true},
		{"v1.31.0", "v1.31.5-eks-1234", false},
	} {
		plane := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "controlplane.cluster.x-k8s.io/v1beta2", "kind": "AWSManagedControlPlane", "metadata": map[string]any{"name": "cp"},
			"spec": map[string]any{"version": v.spec}, "status": map[string]any{"version": v.status},
		}}
		upgrades, err := OfCluster(&clusterv1.Cluster{}, plane, nil, nil)
		if err != nil || Going(upgrades) != v.going {
			t.Errorf("spec %s, status %s: upgrades %t, want %t (%v)", v.spec, v.status, Going(upgrades), v.going, err)
		}
	}
}
