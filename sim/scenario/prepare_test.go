package scenario

import (
	"testing"

	. "github.com/onsi/gomega"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/sim/world"
)

func TestClusters(t *testing.T) {
	g := NewWithT(t)
	clusters := Clusters([]Scenario{
		{Name: "a", Cluster: "red", Workers: 1, ClusterAnnotations: map[string]string{"x": "1"}},
		{Name: "b", Cluster: "blue", Workers: 2},
		{Name: "c", Cluster: "red", Workers: 3, Others: []world.Pool{{Name: "d", Size: 4}}, ClusterAnnotations: map[string]string{"y": "2"}},
	})
	g.Expect(clusters).To(Equal([]world.ClusterSpec{
		{
			Namespace: Namespace, Name: "red", Annotations: map[string]string{"x": "1", "y": "2"},
			Pools: []world.Pool{{Name: "a", Size: 1}, {Name: "c", Size: 3}, {Name: "d", Size: 4}},
		},
		{Namespace: Namespace, Name: "blue", Annotations: map[string]string{}, Pools: []world.Pool{{Name: "b", Size: 2}}},
	}))
	g.Expect(Clusters(nil)).To(BeEmpty())
}

// Each scenario has a pool to itself, by its name.
func TestNamesAreUnique(t *testing.T) {
	g := NewWithT(t)
	seen := map[string]bool{}
	for _, s := range All() {
		g.Expect(seen).NotTo(HaveKey(s.Name))
		seen[s.Name] = true
		g.Expect(s.Title).NotTo(BeEmpty())
		g.Expect(s.Workers).To(BeNumerically(">", 0))
		mhc := s.machineHealthCheck()
		g.Expect(mhc.Spec.ClusterName).To(Equal(s.Cluster))
		g.Expect(mhc.Spec.Selector.MatchLabels).To(HaveKeyWithValue(clusterv1.MachineDeploymentNameLabel, s.Cluster+"-"+s.Name))
		g.Expect(mhc.Spec.Checks.NodeStartupTimeoutSeconds).NotTo(BeNil())
	}
}
