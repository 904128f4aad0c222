package fault_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/world"
)

const newer = "v1.36.4"

func TestUpgrade(t *testing.T) {
	worker(t)
	f := fault.Upgrade{Cluster: testCluster, MachineDeployment: world.MachineDeploymentName(testCluster.Name, world.DefaultPool), Version: newer}
	rollsOut(t, f, func() ([]clusterv1.Machine, error) {
		return it.PoolMachines(t.Context(), testCluster, world.DefaultPool)
	})
}

func TestUpgradeControlPlane(t *testing.T) {
	worker(t)
	rollsOut(t, fault.Upgrade{Cluster: testCluster, Version: newer}, func() ([]clusterv1.Machine, error) { return it.ControlPlaneMachines(t.Context(), testCluster) })
}

func rollsOut(t *testing.T, f fault.Upgrade, machines func() ([]clusterv1.Machine, error)) {
	t.Helper()
	inject(t, f)
	inject(t, f) // It must not store the new version as the original one.
	expectVersion(t, newer, machines)
	heal(t, f)
	heal(t, f)
	expectVersion(t, world.KubernetesVersion, machines)
}

// expectVersion waits until all machines have a version, and the test cluster is complete again.
func expectVersion(t *testing.T, version string, machines func() ([]clusterv1.Machine, error)) {
	t.Helper()
	start := time.Now()
	newTest(t).Eventually(func(g Gomega) {
		found, err := machines()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(found).To(HaveEach(HaveField("Spec.Version", version)))
		g.Expect(it.Ready(t.Context(), testCluster)).To(Succeed())
	}).Should(Succeed())
	t.Logf("everywhere %s after %s", version, time.Since(start).Round(time.Millisecond))
}
