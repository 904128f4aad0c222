package scenario

import (
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/sim/world"
)

func TestClusters(t *testing.T) {
	g := NewWithT(t)
	clusters := Clusters([]Scenario{
		{Name: "a", Cluster: "red", Workers: 1, ClusterAnnotations: map[string]string{"x": "1"}},
		{Name: "b", Cluster: "blue", Workers: 2},
		{Name: "c", Cluster: "red", Workers: 3, Others: []world.Pool{{Name: "d", Size: 4}}, ClusterAnnotations: map[string]string{"y": "2"}},
		{Name: "e", Cluster: "steel", Namespace: "metal", BareMetal: true, SpareHosts: 1, Workers: 1, Elsewhere: []world.Pool{{Name: "f", Size: 2}}},
		{Name: "g", Cluster: "steel", Namespace: "metal", BareMetal: true, SpareHosts: 2, Workers: 1},
	})
	g.Expect(clusters).To(Equal([]world.ClusterSpec{
		{
			Name: "red", Annotations: map[string]string{"x": "1", "y": "2"},
			Pools: []world.Pool{{Name: "a", Size: 1}, {Name: "c", Size: 3}, {Name: "d", Size: 4}},
		},
		{Name: "blue", Annotations: map[string]string{}, Pools: []world.Pool{{Name: "b", Size: 2}}},
		{
			Namespace: "metal", Name: "steel", Annotations: map[string]string{}, BareMetal: true, SpareHosts: 3, StartupTime: bootTime,
			Pools: []world.Pool{{Name: "e", Size: 1}, {Name: "f", Size: 2}, {Name: "g", Size: 1}},
		},
	}))
	g.Expect(Clusters(nil)).To(BeEmpty())
}

// Each scenario has its own pool, named after it.
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
		selector, err := metav1.LabelSelectorAsSelector(&mhc.Spec.Selector)
		g.Expect(err).NotTo(HaveOccurred())
		for _, pool := range append(s.Elsewhere, world.Pool{Name: s.Name}) {
			g.Expect(selector.Matches(labels.Set{clusterv1.MachineDeploymentNameLabel: s.Cluster + "-" + pool.Name})).To(BeTrue())
		}
		g.Expect(mhc.Spec.Checks.NodeStartupTimeoutSeconds).NotTo(BeNil())
	}
}
