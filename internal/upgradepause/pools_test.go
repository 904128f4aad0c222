package upgradepause

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// storePool keeps a pool on the API server until the test ends.
func storePool(t *testing.T, e *env.Env, pool *mcfgv1.MachineConfigPool) *mcfgv1.MachineConfigPool {
	t.Helper()
	status := pool.Status
	if err := e.Client.Create(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.IgnoreNotFound(e.Client.Delete(context.Background(), pool)); err != nil {
			t.Error(err)
		}
	})
	pool.Status = status
	storePoolStatus(t, e, pool)
	return pool
}

func storePoolStatus(t *testing.T, e *env.Env, pool *mcfgv1.MachineConfigPool) {
	t.Helper()
	if err := e.Client.Status().Update(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
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
	storePoolStatus(t, s.env, pool)
	s.Eventually(mhc).Should(Equal(ours(cvID+","+poolID, noon)))
	cv.end(t)
	s.Eventually(capi).Should(Equal(resumed(noon)))
	s.Eventually(mhc).Should(Equal(ours(poolID, noon)), "its workers still reboot")
	over := s.later()
	pool.Status.Configuration = pool.Spec.Configuration
	storePoolStatus(t, s.env, pool)
	s.Eventually(mhc).Should(Equal(resumed(over)))

	pool.Status = workers(3, 2, corev1.ConditionTrue).Status
	storePoolStatus(t, s.env, pool)
	s.Eventually(mhc).Should(Equal(ours(poolID, over).And(resumed(over))), "a mere setting")
	s.Expect(s.env.Client.Delete(t.Context(), pool)).To(Succeed())
	s.Eventually(mhc).Should(Equal(resumed(over)), "the pool is gone")
}
