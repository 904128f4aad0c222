package e2e_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// TestNodesOfOneName: two clusters have Nodes of the same name. A fault of one Node affects only its own Machine.
func TestNodesOfOneName(t *testing.T) {
	t.Parallel()
	g := newTest(t)
	var twins []*clusterv1.Machine
	for _, cluster := range []string{"castor", "pollux"} {
		spec := world.ClusterSpec{Namespace: "twins", Name: cluster}
		harness.Cluster(t, spec)
		mhc := healthCheck(spec.Key(), metav1.LabelSelector{MatchLabels: map[string]string{"twin": ""}})
		// Long enough for the verdict to stay Unknown.
		mhc.Spec.Checks.UnhealthyNodeConditions[0].TimeoutSeconds = new(int32(3600))
		g.Expect(harness.World.Client().Create(t.Context(), mhc)).To(Succeed())
		twins = append(twins, newTwin(t, spec.Key()))
	}
	harness.Sickbay(t, "twins")
	for _, twin := range twins {
		_, err := harness.Journal.Machine(waitContext(t), twin.UID, "the verdict", journal.HasVerdict(metav1.ConditionTrue, "Succeeded"))
		g.Expect(err).NotTo(HaveOccurred())
	}
	for i, twin := range twins {
		other := client.ObjectKeyFromObject(twins[1-i])
		before := verdictOf(t, other)
		began := time.Now()
		stopped := fault.StopKubelet{Cluster: clusterOf(twin), Node: "twin"}
		g.Expect(stopped.Inject(t.Context(), harness.World)).To(Succeed())
		g.Eventually(func() string { return verdictOf(t, client.ObjectKeyFromObject(twin)).Reason }).Should(Equal("NodeConditionsNotYetUnhealthy"))
		t.Logf("%s heard of it after %s", twin.Name, time.Since(began).Round(time.Millisecond))
		g.Expect(verdictOf(t, other)).To(Equal(before))
		g.Expect(stopped.Heal(t.Context(), harness.World)).To(Succeed())
		g.Eventually(func() string { return verdictOf(t, client.ObjectKeyFromObject(twin)).Reason }).Should(Equal("Succeeded"))
	}
	// Each Machine had one bad verdict: its own.
	for _, twin := range twins {
		g.Eventually(func() []string { return verdicts(twin) }).Should(HaveExactElements("Succeeded", "NodeConditionsNotYetUnhealthy", "Succeeded"))
	}
}

// newTwin creates a Machine and a Node by hand, because a Node in memory always has the name of its Machine.
func newTwin(t *testing.T, cluster client.ObjectKey) *clusterv1.Machine {
	t.Helper()
	g := NewWithT(t)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "twin"}, Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
		{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()},
	}}}
	g.Expect(harness.World.WorkloadClient(cluster).Create(t.Context(), node)).To(Succeed())
	machine := &clusterv1.Machine{
		ObjectMeta: metav1.ObjectMeta{Namespace: cluster.Namespace, Name: "twin-" + cluster.Name, Labels: map[string]string{"twin": ""}},
		Spec: clusterv1.MachineSpec{
			ClusterName: cluster.Name, Bootstrap: clusterv1.Bootstrap{DataSecretName: new("none")},
			InfrastructureRef: clusterv1.ContractVersionedObjectReference{APIGroup: "infrastructure.cluster.x-k8s.io", Kind: "DevMachine", Name: "none"},
		},
	}
	c := harness.World.Client()
	g.Expect(c.Create(t.Context(), machine)).To(Succeed())
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"status":{"nodeRef":{"name":"twin"}}}`))
	g.Expect(c.Status().Patch(t.Context(), machine, patch)).To(Succeed())
	return machine
}

func clusterOf(machine *clusterv1.Machine) client.ObjectKey {
	return client.ObjectKey{Namespace: machine.Namespace, Name: machine.Spec.ClusterName}
}

func verdictOf(t *testing.T, key client.ObjectKey) metav1.Condition {
	t.Helper()
	machine := &clusterv1.Machine{}
	NewWithT(t).Expect(harness.World.Client().Get(t.Context(), key, machine)).To(Succeed())
	if verdict := journal.Verdict(machine); verdict != nil {
		return *verdict
	}
	return metav1.Condition{}
}

// verdicts returns the successive reasons of a machine's verdicts since it was first healthy.
func verdicts(machine *clusterv1.Machine) []string {
	var reasons []string
	harness.Journal.Find(func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		if !ok || m.UID != machine.UID || journal.Verdict(m) == nil {
			return false
		}
		reason := journal.Verdict(m).Reason
		if len(reasons) == 0 && reason != "Succeeded" {
			return false
		}
		if len(reasons) == 0 || reasons[len(reasons)-1] != reason {
			reasons = append(reasons, reason)
		}
		return false
	})
	return reasons
}
