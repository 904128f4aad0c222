package versions_test

import (
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/baremetal"
	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// Pools of one machine each, with a MachineHealthCheck of the same name: the owner replaces the first, another controller is asked to
// repair the second, and the host of the third is cycled.
const replaced, requested, cycled = "replaced", "requested", "cycled"

// offTakes is longer than a change of versions takes.
const offTakes = 20 * time.Second

// installation is a namespace with a machine for each kind of repair.
type installation struct {
	*testing.T
	*WithT
	client      client.Client
	ns          string
	pool, metal world.ClusterSpec
	machines    map[string]*clusterv1.Machine
}

// TestUpgrade: the last version has begun repairs, and stops. The current one goes on with them: nothing is asked for twice, and in the
// end nothing is left.
func TestUpgrade(t *testing.T) {
	i := newInstallation(t, "up")
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	i.Expect(harness.World.WriteKubeconfig(kubeconfig)).To(Succeed())
	// The last version may have needed other rights, so it gets all.
	last := e2e.StartSickbay(t, before, kubeconfig, "--namespace="+i.ns)
	host := client.ObjectKey{Namespace: i.ns, Name: i.machines[cycled].Status.NodeRef.Name}
	boots := harness.World.Host(host).Boots()
	i.strike(host)
	made := map[string]types.UID{}
	i.Eventually(func(g Gomega) {
		made = map[string]types.UID{}
		for name := range i.machines {
			records := i.records(g, name)
			g.Expect(records).To(HaveLen(1), name)
			g.Expect(records[0].Status.Phase).To(Equal(v1alpha1.RemediationActing), name)
			made[name] = records[0].UID
		}
		made["request"] = i.request(g).GetUID()
		g.Expect(made["request"]).NotTo(BeEmpty())
	}).Should(Succeed())
	i.Expect(last.Stop()).To(Succeed())

	harness.Sickbay(t, i.ns)
	i.Consistently(func(g Gomega) {
		g.Expect(i.request(g).GetUID()).To(Equal(made["request"]), "the request is the one that was there")
	}, 5*time.Second).Should(Succeed())
	i.ownerRests(false)
	i.Expect(fault.StopKubelet{Cluster: i.pool.Key(), Node: i.machines[requested].Status.NodeRef.Name}.Heal(t.Context(), harness.World)).To(Succeed())
	i.Eventually(func(g Gomega) {
		for name := range i.machines {
			g.Expect(i.healthy(g, name)).To(BeTrue(), name)
			records := i.records(g, name)
			g.Expect(records).To(HaveLen(1), name)
			g.Expect(records[0].UID).To(Equal(made[name]), name)
			g.Expect(records[0].Finalizers).To(BeEmpty(), name)
		}
		g.Expect(i.request(g).GetUID()).To(BeEmpty(), "the request is withdrawn")
	}).Should(Succeed())
	i.Expect(harness.Journal.Marks(i.machines[replaced].UID)).To(Equal(1))
	i.Expect(harness.World.Host(host).Boots()).To(Equal(boots+1), "cycled once")
}

func newInstallation(t *testing.T, ns string) *installation {
	t.Helper()
	i := &installation{T: t, WithT: NewWithT(t), client: harness.World.Client(), ns: ns, machines: map[string]*clusterv1.Machine{}}
	i.SetDefaultEventuallyTimeout(e2e.Patience)
	i.SetDefaultEventuallyPollingInterval(100 * time.Millisecond)
	i.pool = world.ClusterSpec{Namespace: ns, Name: ns, Pools: []world.Pool{{Name: replaced, Size: 1}, {Name: requested, Size: 1}}}
	i.metal = world.ClusterSpec{Namespace: ns, Name: ns + "-metal", BareMetal: true, Pools: []world.Pool{{Name: cycled, Size: 1}}}
	harness.Cluster(t, i.pool)
	harness.Cluster(t, i.metal)
	for _, name := range []string{replaced, requested, cycled} {
		i.machines[name] = i.only(i, name)
		i.check(name)
	}
	return i
}

func (i *installation) cluster(pool string) world.ClusterSpec {
	if pool == cycled {
		return i.metal
	}
	return i.pool
}

// only returns the machine of a pool.
func (i *installation) only(g Gomega, pool string) *clusterv1.Machine {
	spec := i.cluster(pool)
	machines, err := harness.World.PoolMachines(i.Context(), spec.Key(), pool)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(machines).To(HaveLen(1), pool)
	return &machines[0]
}

// check creates the MachineHealthCheck of a pool, and what it refers to.
func (i *installation) check(name string) {
	i.Helper()
	cluster := i.cluster(name).Name
	check := &clusterv1.MachineHealthCheck{
		ObjectMeta: metav1.ObjectMeta{Namespace: i.ns, Name: name},
		Spec: clusterv1.MachineHealthCheckSpec{
			ClusterName: cluster,
			Selector:    metav1.LabelSelector{MatchLabels: map[string]string{clusterv1.MachineDeploymentNameLabel: world.MachineDeploymentName(cluster, name)}},
			Checks: clusterv1.MachineHealthCheckChecks{UnhealthyNodeConditions: []clusterv1.UnhealthyNodeCondition{
				{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, TimeoutSeconds: new(int32(1))},
			}},
		},
	}
	switch name {
	case requested:
		template := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{}}}}}
		template.SetAPIVersion("remediation.example.dev/v1")
		template.SetKind("FixRemediationTemplate")
		template.SetNamespace(i.ns)
		template.SetName(name)
		i.Expect(i.client.Create(i.Context(), template)).To(Succeed())
		check.Spec.Remediation.TemplateRef = clusterv1.MachineHealthCheckRemediationTemplateReference{
			APIVersion: template.GetAPIVersion(), Kind: template.GetKind(), Name: name,
		}
	case cycled:
		check.Annotations = map[string]string{"sickbay.dev/remediation": "reboot"}
	}
	i.Expect(i.client.Create(i.Context(), check)).To(Succeed())
}

// strike makes all machines sick, and no repair can end.
func (i *installation) strike(host client.ObjectKey) {
	i.Helper()
	i.ownerRests(true)
	for _, name := range []string{replaced, requested} {
		i.Expect(fault.StopKubelet{Cluster: i.pool.Key(), Node: i.machines[name].Status.NodeRef.Name}.Inject(i.Context(), harness.World)).To(Succeed())
	}
	harness.World.Host(host).Set(baremetal.Faults{OffTakes: offTakes})
	i.Expect(fault.HangHost{Host: host}.Inject(i.Context(), harness.World)).To(Succeed())
}

// ownerRests makes the owner of the machine that is to be replaced do nothing for now, or work again.
func (i *installation) ownerRests(rests bool) {
	i.Helper()
	value := "null"
	if rests {
		value = `""`
	}
	var sets clusterv1.MachineSetList
	deployment := world.MachineDeploymentName(i.pool.Name, replaced)
	i.Expect(i.client.List(i.Context(), &sets, client.InNamespace(i.ns), client.MatchingLabels{clusterv1.MachineDeploymentNameLabel: deployment})).To(Succeed())
	i.Expect(sets.Items).To(HaveLen(1))
	patch := `{"metadata":{"annotations":{"cluster.x-k8s.io/paused":` + value + `}}}`
	i.Expect(i.client.Patch(i.Context(), &sets.Items[0], client.RawPatch(types.MergePatchType, []byte(patch)))).To(Succeed())
}

// healthy reports whether the only machine of a pool is healthy, and not the one that was to be replaced.
func (i *installation) healthy(g Gomega, pool string) bool {
	machine := i.only(g, pool)
	verdict := journal.Verdict(machine)
	return verdict != nil && verdict.Status == metav1.ConditionTrue && (pool != replaced || machine.UID != i.machines[pool].UID)
}

// request returns the request for another controller; it has no UID if there is none.
func (i *installation) request(g Gomega) *unstructured.Unstructured {
	request := &unstructured.Unstructured{}
	request.SetAPIVersion("remediation.example.dev/v1")
	request.SetKind("FixRemediation")
	g.Expect(client.IgnoreNotFound(i.client.Get(i.Context(), client.ObjectKeyFromObject(i.machines[requested]), request))).To(Succeed())
	return request
}

// records returns the MachineRemediations of the machine that a pool had first.
func (i *installation) records(g Gomega, pool string) []v1alpha1.MachineRemediation {
	var all v1alpha1.MachineRemediationList
	g.Expect(i.client.List(i.Context(), &all, client.InNamespace(i.ns))).To(Succeed())
	var its []v1alpha1.MachineRemediation
	for _, record := range all.Items {
		if record.Spec.MachineRef.UID == i.machines[pool].UID {
			its = append(its, record)
		}
	}
	return its
}
