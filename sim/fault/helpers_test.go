package fault_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/conditions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// newTest returns a Gomega whose Eventually polls often and waits long.
func newTest(t *testing.T) *WithT {
	t.Helper()
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(patience)
	g.SetDefaultEventuallyPollingInterval(5 * time.Millisecond)
	return g
}

// worker returns a worker of the test cluster, once all its machines are healthy.
func worker(t *testing.T) *clusterv1.Machine {
	t.Helper()
	g := newTest(t)
	g.Eventually(func() error { return it.Ready(t.Context(), testCluster) }).Should(Succeed())
	machines, err := it.PoolMachines(t.Context(), testCluster, world.DefaultPool)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(machines).NotTo(BeEmpty())
	return &machines[0]
}

func inject(t *testing.T, f fault.Fault) {
	t.Helper()
	start := time.Now()
	newTest(t).Expect(f.Inject(t.Context(), it)).To(Succeed(), f.String())
	t.Logf("%s: injected in %s", f, time.Since(start).Round(time.Millisecond))
}

func heal(t *testing.T, f fault.Fault) {
	t.Helper()
	newTest(t).Expect(f.Heal(t.Context(), it)).To(Succeed(), f.String())
}

// expectCondition waits until a Machine's condition matches.
func expectCondition(t *testing.T, machine client.ObjectKey, conditionType string, matcher types.GomegaMatcher) {
	t.Helper()
	start := time.Now()
	newTest(t).Eventually(func() *metav1.Condition { return conditionOf(t, machine, conditionType) }).Should(matcher)
	t.Logf("%s of machine %s as expected after %s", conditionType, machine.Name, time.Since(start).Round(time.Millisecond))
}

func conditionOf(t *testing.T, key client.ObjectKey, conditionType string) *metav1.Condition {
	t.Helper()
	machine := &clusterv1.Machine{}
	if err := it.Client().Get(t.Context(), key, machine); err != nil {
		return nil
	}
	return conditions.Get(machine, conditionType)
}

func haveStatus(status metav1.ConditionStatus) types.GomegaMatcher {
	return And(Not(BeNil()), HaveField("Status", status))
}

// expectReplaced waits until a Machine is gone and the test cluster is complete again.
func expectReplaced(t *testing.T, machine client.ObjectKey) {
	t.Helper()
	start := time.Now()
	newTest(t).Eventually(func(g Gomega) {
		err := it.Client().Get(t.Context(), machine, &clusterv1.Machine{})
		g.Expect(apierrors.IsNotFound(err)).To(BeTrue(), "%v", err)
		g.Expect(it.Ready(t.Context(), testCluster)).To(Succeed())
	}).Should(Succeed())
	t.Logf("machine %s replaced after %s", machine.Name, time.Since(start).Round(time.Millisecond))
}
