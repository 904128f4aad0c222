package world_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// TestBareMetal: Machines get hosts, and the hosts register Nodes. A host that hangs is noticed, and comes back when it is
// power-cycled. A Machine that is deleted gives its host back, and its replacement gets another one.
func TestBareMetal(t *testing.T) {
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(patience)
	spec := world.ClusterSpec{Namespace: "default", Name: "iron", BareMetal: true, Workers: 2, SpareHosts: 1, StartupTime: 300 * time.Millisecond}
	newCluster(t, spec)
	workers, err := it.PoolMachines(t.Context(), spec.Key(), world.DefaultPool)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(workers).To(HaveLen(2))
	g.Expect(it.ControlPlaneMachines(t.Context(), spec.Key())).To(HaveLen(1))

	sick := &workers[0]
	node, err := it.Node(t.Context(), sick)
	g.Expect(err).NotTo(HaveOccurred())
	key := client.ObjectKey{Namespace: spec.Namespace, Name: node.Name}
	host := it.Host(key)
	g.Expect(host.Running()).To(BeTrue())
	it.Hang(key, false)
	g.Eventually(readiness(t, node.Name)).Should(Equal(corev1.ConditionUnknown))
	g.Expect(host.Running()).To(BeTrue(), "it hangs, and has power")
	it.Wake(key)
	g.Eventually(readiness(t, node.Name)).Should(Equal(corev1.ConditionTrue))

	it.Hang(key, false)
	g.Eventually(readiness(t, node.Name)).Should(Equal(corev1.ConditionUnknown))
	host.Press(false)
	g.Expect(it.Client().Delete(t.Context(), node)).To(Succeed())
	host.Press(true)
	g.Eventually(readiness(t, node.Name)).Should(Equal(corev1.ConditionTrue), "its system has booted and registered")
	views := it.Views(key)
	g.Expect(views[len(views)-2:]).To(ConsistOf(
		And(HaveField("Last", node.UID), HaveField("Err", BeNil())),
		And(HaveField("First", BeEmpty()), HaveField("Err", BeNil()))), "the Node went while the host had no power")

	hangsInEveryBoot(t, key)
	g.Expect(it.Client().Delete(t.Context(), sick)).To(Succeed())
	expectReplaced(t, spec.Key(), sick)
	running := func() (n int) {
		for i := range 4 {
			if it.Host(client.ObjectKey{Namespace: spec.Namespace, Name: world.HostName(spec.Name, i)}).Running() {
				n++
			}
		}
		return n
	}
	g.Eventually(running).Should(Equal(3), "one host is given back, or was taken anew")
}

// hangsInEveryBoot checks that no boot registers a Node until the host is woken.
func hangsInEveryBoot(t *testing.T, key client.ObjectKey) {
	t.Helper()
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(patience)
	host := it.Host(key)
	it.Hang(key, true)
	g.Eventually(readiness(t, key.Name)).Should(Equal(corev1.ConditionUnknown))
	host.Press(false)
	host.Press(true)
	// Longer than a boot takes.
	g.Consistently(readiness(t, key.Name)).WithTimeout(time.Second).Should(Equal(corev1.ConditionUnknown))
	it.Wake(key)
	g.Eventually(readiness(t, key.Name)).Should(Equal(corev1.ConditionTrue))
}

func readiness(t *testing.T, name string) func() (corev1.ConditionStatus, error) {
	t.Helper()
	return func() (corev1.ConditionStatus, error) {
		node := &corev1.Node{}
		err := it.Client().Get(t.Context(), client.ObjectKey{Name: name}, node)
		if err != nil || len(node.Status.Conditions) == 0 {
			return "", client.IgnoreNotFound(err)
		}
		return node.Status.Conditions[0].Status, nil
	}
}
