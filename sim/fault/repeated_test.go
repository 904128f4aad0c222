package fault_test

import (
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// TestEachMayBeRepeated: a fault that is injected twice must not take what it has broken for how the world was. The stories of sim/scenario show
// what each fault does.
func TestEachMayBeRepeated(t *testing.T) {
	machine := worker(t)
	key, node := client.ObjectKeyFromObject(machine), machine.Status.NodeRef.Name
	deployment := world.MachineDeploymentName(testCluster.Name, world.DefaultPool)
	for _, f := range []fault.Fault{
		fault.BreakKubeconfig{Cluster: testCluster},
		fault.PauseCluster{Cluster: testCluster},
		fault.HoldBack{Cluster: testCluster},
		fault.HoldBack{Cluster: testCluster, MachineDeployment: deployment},
		fault.HoldDeletion{Machine: key},
		fault.MachineCondition{Machine: key, Type: "FanTurning", Status: metav1.ConditionFalse, Reason: "Dust"},
		fault.StopKubelet{Cluster: testCluster, Node: node},
		fault.AccuseNode{Cluster: testCluster, Node: node, Type: "GpuHealthy"},
		fault.DeleteNode{Cluster: testCluster, Node: node},
		fault.Upgrade{Cluster: testCluster, MachineDeployment: deployment, Version: "v1.36.4"},
	} {
		g := newTest(t)
		for range 2 {
			g.Expect(f.Inject(t.Context(), it)).To(Succeed(), f.String())
		}
		for range 2 {
			g.Expect(f.Heal(t.Context(), it)).To(Succeed(), f.String())
		}
		worker(t)
	}
	newTest(t).Eventually(func() ([]clusterv1.Machine, error) {
		return it.PoolMachines(t.Context(), testCluster, world.DefaultPool)
	}).Should(HaveEach(HaveField("Spec.Version", world.KubernetesVersion)))
}

// TestHealingWhatIsGone succeeds.
func TestHealingWhatIsGone(t *testing.T) {
	nowhere := client.ObjectKey{Namespace: "default", Name: "nowhere"}
	for _, f := range []fault.Fault{
		fault.DeleteNode{Cluster: nowhere, Node: "nobody"},
		fault.HoldBack{Cluster: nowhere},
		fault.HoldBack{Cluster: nowhere, MachineDeployment: "nobody"},
		fault.MachineCondition{Machine: nowhere, Type: "Any"},
		fault.BreakKubeconfig{Cluster: nowhere},
		fault.PauseCluster{Cluster: nowhere},
		fault.HoldDeletion{Machine: nowhere},
		fault.Upgrade{Cluster: nowhere},
		fault.Upgrade{Cluster: nowhere, MachineDeployment: "nobody"},
		fault.StopKubelet{Cluster: testCluster, Node: "nobody"},
		fault.AccuseNode{Cluster: testCluster, Node: "nobody", Type: "GpuHealthy"},
	} {
		newTest(t).Expect(f.Heal(t.Context(), it)).To(Succeed(), f.String())
	}
}
