package world_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/clientcmd"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// patience allows for a machine that compiles other tests at the same time. Cluster API itself sometimes waits for 15 or
// 30 seconds.
const patience = 3 * time.Minute

// newCluster creates a cluster, waits until it is ready and deletes it after the test.
func newCluster(t *testing.T, spec world.ClusterSpec) client.ObjectKey {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	g := NewWithT(t)
	g.Expect(it.CreateCluster(ctx, spec)).To(Succeed())
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		g.Expect(it.DeleteCluster(ctx, spec.Key())).To(Succeed())
	})
	start := time.Now()
	g.Expect(it.WaitReady(ctx, spec.Key())).To(Succeed())
	t.Logf("cluster ready after %s", time.Since(start).Round(time.Millisecond))
	return spec.Key()
}

// expectReplaced waits until a machine is gone and its cluster is complete again.
func expectReplaced(t *testing.T, cluster client.ObjectKey, machine *clusterv1.Machine) {
	t.Helper()
	g := NewWithT(t)
	start := time.Now()
	g.Eventually(func(g Gomega) {
		err := it.Client().Get(t.Context(), client.ObjectKeyFromObject(machine), &clusterv1.Machine{})
		g.Expect(apierrors.IsNotFound(err)).To(BeTrue(), "machine %s: %v", machine.Name, err)
		g.Expect(it.Ready(t.Context(), cluster)).To(Succeed())
	}).WithTimeout(patience).WithPolling(20 * time.Millisecond).Should(Succeed())
	t.Logf("machine replaced after %s", time.Since(start).Round(time.Millisecond))
}

func TestDeletedMachineIsReplaced(t *testing.T) {
	g := NewWithT(t)
	labels := map[string]string{"team": "a"}
	key := newCluster(t, world.ClusterSpec{
		Namespace: "default", Name: "deleted", Annotations: labels, Workers: 3, WorkerLabels: labels,
		Pools: []world.Pool{{Name: "spare", Size: 1}},
	})
	workers, err := it.PoolMachines(t.Context(), key, world.DefaultPool)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(workers).To(HaveLen(3))
	g.Expect(workers[0].Labels).To(HaveKeyWithValue("team", "a"))
	g.Expect(it.PoolMachines(t.Context(), key, "spare")).To(HaveLen(1))
	g.Expect(it.ControlPlaneMachines(t.Context(), key)).To(HaveLen(1))
	cluster := &clusterv1.Cluster{}
	g.Expect(it.Client().Get(t.Context(), key, cluster)).To(Succeed())
	g.Expect(cluster.Annotations).To(HaveKeyWithValue("team", "a"))

	g.Expect(it.Client().Delete(t.Context(), &workers[0])).To(Succeed())
	expectReplaced(t, key, &workers[0])
	g.Expect(it.PoolMachines(t.Context(), key, world.DefaultPool)).To(HaveLen(3))
}

func TestKubeconfigs(t *testing.T) {
	g := NewWithT(t)
	key := newCluster(t, world.ClusterSpec{Namespace: "default", Name: "access"})

	path := filepath.Join(t.TempDir(), "kubeconfig")
	g.Expect(it.WriteKubeconfig(path)).To(Succeed())
	info, err := os.Stat(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(info.Mode().Perm()).To(Equal(os.FileMode(0o600)))
	config, err := clientcmd.BuildConfigFromFlags("", path)
	g.Expect(err).NotTo(HaveOccurred())
	management, err := client.New(config, client.Options{Scheme: world.NewScheme()})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(management.Get(t.Context(), key, &clusterv1.Cluster{})).To(Succeed())

	config, err = it.WorkloadConfig(t.Context(), key)
	g.Expect(err).NotTo(HaveOccurred())
	workload, err := client.New(config, client.Options{})
	g.Expect(err).NotTo(HaveOccurred())
	nodes := &corev1.NodeList{}
	g.Expect(workload.List(t.Context(), nodes)).To(Succeed())
	g.Expect(nodes.Items).To(HaveLen(1))
	g.Expect(it.MachineOf(t.Context(), key, nodes.Items[0].Name)).To(HaveField("Name", nodes.Items[0].Name))
}

func TestClusterCanBeMadeAgain(t *testing.T) {
	spec := world.ClusterSpec{Namespace: "default", Name: "again", Workers: 1}
	t.Run("first", func(t *testing.T) { newCluster(t, spec) })
	t.Run("second", func(t *testing.T) { newCluster(t, spec) })
}

func TestWaitReadySaysWhatIsMissing(t *testing.T) {
	g := NewWithT(t)
	key := client.ObjectKey{Namespace: "default", Name: "nowhere"}
	g.Expect(it.Ready(t.Context(), key)).To(MatchError(apierrors.IsNotFound, "IsNotFound"))

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	err := it.WaitReady(ctx, key)
	g.Expect(err).To(MatchError(ContainSubstring("waiting for cluster default/nowhere")))
	g.Expect(err).To(MatchError(context.DeadlineExceeded))
}
