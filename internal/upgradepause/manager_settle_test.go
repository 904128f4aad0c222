package upgradepause

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/openshift"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/pausing"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// TestManagerSettlesMachines: Cluster API's Machines report whether their Nodes are Ready. The pause does not
// wait for Machines of other MachineHealthChecks, skipped ones, or those that are being deleted.
func TestManagerSettlesMachines(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.settle = settleWithin
	blue := newFleet(t, s.env, s.ns, "blue", v33, build.Annotation(pause.OptionAnnotation, wantsThem))
	s.Expect(s.env.Client.Create(t.Context(), build.MachineHealthCheck(s.ns, "blue", build.InCluster("blue"),
		build.Selector(map[string]string{"pool": "ours"})))).To(Succeed())
	ours := build.Label("pool", "ours")
	mine := s.machine("mine", ours)
	s.machine("skipped", ours, build.MachineFunc(func(m *clusterv1.Machine) { build.Annotation(clusterv1.MachineSkipRemediationAnnotation, "")(m) }))
	s.machine("other")
	going := s.machine("going", ours, build.MachineFunc(func(m *clusterv1.Machine) { m.Finalizers = []string{"test/stays"} }))
	s.Expect(s.env.Client.Delete(t.Context(), going)).To(Succeed())
	t.Cleanup(func() {
		going.Finalizers = nil
		_ = s.env.Client.Update(context.Background(), going)
	})
	s.nodeReady(mine, metav1.ConditionFalse)
	s.run(s.env.Config)

	blue.workersWant(t, v34)
	s.Eventually(s.of("blue")).Should(HaveKey(keyMarker))
	over := s.later()
	blue.workersHave(t, v34)
	s.Eventually(s.of("blue")).Should(HaveKeyWithValue(pausing.KeySettling, at(over)))
	s.nodeReady(mine, metav1.ConditionTrue)
	s.Eventually(s.of("blue")).Should(Equal(resumed(over)))
}

// machine stores a Machine of Cluster blue that belongs to no rollout.
func (s *stage) machine(name string, opts ...build.MachineOption) *clusterv1.Machine {
	s.t.Helper()
	m := build.Machine(s.ns, name, append([]build.MachineOption{build.InCluster("blue")}, opts...)...)
	s.Expect(s.env.Client.Create(s.t.Context(), m)).To(Succeed())
	return m
}

func (s *stage) nodeReady(m *clusterv1.Machine, status metav1.ConditionStatus) {
	s.t.Helper()
	meta.SetStatusCondition(&m.Status.Conditions, metav1.Condition{Type: clusterv1.MachineNodeReadyCondition, Status: status, Reason: "Test"})
	s.Expect(s.env.Client.Status().Update(s.t.Context(), m)).To(Succeed())
}

// TestManagerSettlesNodes: OpenShift's Machines do not report it, so their Nodes are read.
func TestManagerSettlesNodes(t *testing.T) {
	s := newStage(t)
	s.settle = settleWithin
	cv := newOpenshift(t, s.env)
	s.Expect(s.installed.Set()).To(Succeed())
	s.check(OpenShiftKind, "mhc", nil)
	worker := map[string]any{"machine.openshift.io/cluster-api-machine-role": "worker"}
	s.openshiftMachine("worker", worker)
	s.openshiftMachine("master", map[string]any{})
	node := s.node("worker")
	s.node("master")
	s.run(s.env.Config)
	mhc := s.annotations(OpenShiftKind, "mhc")

	cv.begin(t, "4.17.3", noon)
	s.Eventually(mhc).Should(HaveKey(keyMarker))
	over := s.later()
	cv.end(t)
	s.Eventually(mhc).Should(HaveKeyWithValue(pausing.KeySettling, at(over)))
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	s.Expect(s.env.Client.Status().Update(t.Context(), node)).To(Succeed())
	s.Eventually(mhc).Should(Equal(resumed(over)))
}

func (s *stage) openshiftMachine(name string, labels map[string]any) {
	s.t.Helper()
	m := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"labels": labels}, "spec": map[string]any{}}}
	m.SetGroupVersionKind(openshift.Kind)
	m.SetNamespace(s.ns)
	m.SetName(name)
	s.Expect(s.env.Client.Create(s.t.Context(), m)).To(Succeed())
}

// node stores the Node of a Machine. It is not Ready.
func (s *stage) node(machine string) *corev1.Node {
	s.t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: s.ns + "-" + machine, Annotations: map[string]string{pause.MachineOfNode: s.ns + "/" + machine},
	}}
	s.Expect(s.env.Client.Create(s.t.Context(), node)).To(Succeed())
	s.t.Cleanup(func() { s.Expect(client.IgnoreNotFound(s.env.Client.Delete(context.Background(), node))).To(Succeed()) })
	return node
}

// storePool keeps a pool on the API server until the test ends.
func storePool(t *testing.T, e *env.Env, pool *mcfgv1.MachineConfigPool) *mcfgv1.MachineConfigPool {
	t.Helper()
	build.Create(t.Context(), t, e.Client, pool)
	t.Cleanup(func() {
		if err := client.IgnoreNotFound(e.Client.Delete(context.Background(), pool)); err != nil {
			t.Error(err)
		}
	})
	return pool
}

// TestManagerPools: ClusterVersion reports the end while workers still reboot. OpenShift's MachineHealthChecks stay paused until all
// machines of all pools are done; Cluster API's do not.
func TestManagerPools(t *testing.T) {
	s := newStage(t)
	cv := newOpenshift(t, s.env)
	s.Expect(s.installed.Set()).To(Succeed())
	s.check(OpenShiftKind, "workers", nil)
	s.check(ClusterAPIKind, "capi", nil)
	pool := workers(3, 3, corev1.ConditionFalse)
	pool.Status.Configuration = pool.Spec.Configuration
	storePool(t, s.env, pool)
	s.run(s.env.Config)
	s.Expect(s.pools.Set()).To(Succeed())
	mhc, capi := s.annotations(OpenShiftKind, "workers"), s.annotations(ClusterAPIKind, "capi")

	cv.begin(t, "4.17.3", noon)
	cvID, poolID := "clusterversion/"+at(noon), "machineconfigpool/worker/new"
	s.Eventually(mhc).Should(Equal(ours(cvID, noon)))
	s.Eventually(capi).Should(Equal(ours(cvID, noon)))
	pool.Status = workers(3, 1, corev1.ConditionTrue).Status
	s.Expect(s.env.Client.Status().Update(t.Context(), pool)).To(Succeed())
	s.Eventually(mhc).Should(Equal(ours(cvID+","+poolID, noon)))
	cv.end(t)
	s.Eventually(capi).Should(Equal(resumed(noon)))
	s.Eventually(mhc).Should(Equal(ours(poolID, noon)), "its workers still reboot")
	over := s.later()
	pool.Status.Configuration = pool.Spec.Configuration
	s.Expect(s.env.Client.Status().Update(t.Context(), pool)).To(Succeed())
	s.Eventually(mhc).Should(Equal(resumed(over)))

	pool.Status = workers(3, 2, corev1.ConditionTrue).Status
	s.Expect(s.env.Client.Status().Update(t.Context(), pool)).To(Succeed())
	s.Eventually(mhc).Should(Equal(ours(poolID, over).And(resumed(over))), "a mere setting")
	s.Expect(s.env.Client.Delete(t.Context(), pool)).To(Succeed())
	s.Eventually(mhc).Should(Equal(resumed(over)), "the pool is gone")
}
