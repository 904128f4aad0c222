package world

import (
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

func TestLiveMachines(t *testing.T) {
	g := NewWithT(t)
	meta := metav1.ObjectMeta{Namespace: "default", Name: "new"}
	having := func(objects ...client.Object) client.Client {
		return fake.NewClientBuilder().WithScheme(NewScheme()).WithObjects(objects...).Build()
	}
	c := liveMachines{Client: having(&clusterv1.MachineSet{ObjectMeta: meta}), live: having(&clusterv1.Machine{ObjectMeta: meta})}

	machines, sets := &clusterv1.MachineList{}, &clusterv1.MachineSetList{}
	g.Expect(c.List(t.Context(), machines)).To(Succeed())
	g.Expect(machines.Items).To(HaveLen(1), "the cache does not know it yet")
	g.Expect(c.List(t.Context(), sets)).To(Succeed())
	g.Expect(sets.Items).To(HaveLen(1), "all else comes out of the cache")
}
