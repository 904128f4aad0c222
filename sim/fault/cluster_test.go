package fault_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/conditions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// askAPIServer lists the Nodes of a cluster over a new connection.
func askAPIServer(ctx context.Context, cluster client.ObjectKey) error {
	config, err := it.WorkloadConfig(ctx, cluster)
	if err != nil {
		return err
	}
	config.Timeout = 5 * time.Second
	workload, err := client.New(config, client.Options{})
	if err != nil {
		return err
	}
	return workload.List(ctx, &corev1.NodeList{})
}

// newIsland returns a cluster of its own to cut off, so that other tests do not suffer from what Cluster API misses
// meanwhile.
func newIsland(t *testing.T, name string) client.ObjectKey {
	t.Helper()
	g := newTest(t)
	spec := world.ClusterSpec{Namespace: "default", Name: name}
	g.Expect(it.CreateCluster(t.Context(), spec)).To(Succeed())
	g.Expect(it.WaitReady(t.Context(), spec.Key())).To(Succeed())
	t.Cleanup(func() {
		newTest(t).Expect(it.DeleteCluster(context.WithoutCancel(t.Context()), spec.Key())).To(Succeed())
	})
	return spec.Key()
}

func TestCutOff(t *testing.T) {
	g := newTest(t)
	island := newIsland(t, "islet")
	f := fault.CutOff{Cluster: island}
	g.Expect(askAPIServer(t.Context(), island)).To(Succeed())
	inject(t, f)
	inject(t, f)
	g.Expect(askAPIServer(t.Context(), island)).To(MatchError(ContainSubstring("connection refused")))
	heal(t, f)
	g.Eventually(func() error { return askAPIServer(t.Context(), island) }).Should(Succeed())
}

func TestCutOffIsNoticedByClusterAPI(t *testing.T) {
	if testing.Short() {
		t.Skip("Cluster API takes 45 seconds to give up a connection")
	}
	g := newTest(t)
	island := newIsland(t, "island")
	probe := func() metav1.ConditionStatus {
		cluster := &clusterv1.Cluster{}
		g.Expect(it.Client().Get(t.Context(), island, cluster)).To(Succeed())
		return conditions.Get(cluster, clusterv1.ClusterRemoteConnectionProbeCondition).Status
	}
	g.Eventually(probe).Should(Equal(metav1.ConditionTrue))

	f := fault.CutOff{Cluster: island}
	inject(t, f)
	start := time.Now()
	g.Eventually(probe).Should(Equal(metav1.ConditionFalse))
	t.Logf("noticed after %s", time.Since(start).Round(time.Second))
	heal(t, f)
	start = time.Now()
	g.Eventually(probe).Should(Equal(metav1.ConditionTrue))
	t.Logf("reconnected after %s", time.Since(start).Round(time.Millisecond))
}

func TestBreakKubeconfig(t *testing.T) {
	g := newTest(t)
	f := fault.BreakKubeconfig{Cluster: testCluster}
	inject(t, f)
	inject(t, f) // It must not store the broken kubeconfig as the original one.
	g.Expect(askAPIServer(t.Context(), testCluster)).To(MatchError(ContainSubstring("reading the kubeconfig")))
	heal(t, f)
	g.Expect(askAPIServer(t.Context(), testCluster)).To(Succeed())
}

func TestPauseCluster(t *testing.T) {
	key := client.ObjectKeyFromObject(worker(t))
	f := fault.PauseCluster{Cluster: testCluster}
	inject(t, f)
	expectCondition(t, key, clusterv1.PausedCondition, haveStatus(metav1.ConditionTrue))
	heal(t, f)
	expectCondition(t, key, clusterv1.PausedCondition, haveStatus(metav1.ConditionFalse))
}

func TestHealingWhatIsGone(t *testing.T) {
	g := newTest(t)
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
		fault.NodeCondition{Cluster: testCluster, Node: "nobody"},
	} {
		g.Expect(f.Heal(t.Context(), it)).To(Succeed(), f.String())
	}
}
