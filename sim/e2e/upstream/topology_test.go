package upstream_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck/adoption"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// looks is how often the topology controller looks at a Cluster before the test believes that it changes nothing.
const looks = 100

// TestTopology: Cluster API's topology controller makes the MachineHealthChecks of a Cluster that has the label. Sickbay has them before Cluster
// API's own controller has judged any machine, and keeps them, also while the Cluster upgrades, and when it is to go back, which Cluster API
// refuses.
func TestTopology(t *testing.T) {
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(e2e.Patience)
	c := &classy{T: t, WithT: g, key: client.ObjectKey{Namespace: "classes", Name: "classy"}}
	g.Expect(harness.World.Client().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.key.Namespace}})).To(Succeed())
	harness.Sickbay(t, c.key.Namespace, "--adopt=handed-over")
	for _, object := range documents(t, "testdata/class.yaml") {
		g.Expect(harness.World.Client().Create(t.Context(), object)).To(Succeed())
	}
	c.ready()
	workers := &clusterv1.MachineHealthCheck{ObjectMeta: metav1.ObjectMeta{Namespace: c.key.Namespace, Name: world.MachineDeploymentName(c.key.Name, "workers")}}
	brain := &clusterv1.MachineHealthCheck{ObjectMeta: metav1.ObjectMeta{Namespace: c.key.Namespace, Name: world.ControlPlaneName(c.key.Name)}}
	g.Eventually(func(g Gomega) { settled(t, g, workers) }).Should(Succeed())
	c.looksAt(workers, brain)

	machines, err := harness.World.PoolMachines(t.Context(), c.key, "workers")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(fault.StopKubelet{Cluster: c.key, Node: machines[0].Status.NodeRef.Name}.Inject(t.Context(), harness.World)).To(Succeed())
	gone(t, &machines[0])
	c.ready()

	c.wants("v1.36.4")
	for _, mhc := range []*clusterv1.MachineHealthCheck{workers, brain} {
		awaitPause(t, mhc, mhcspec.HandedOverValue, mhcspec.HandedOverValue)
	}
	c.ready()
	g.Eventually(func(g Gomega) { settled(t, g, workers) }).Should(Succeed())
	c.looksAt(workers, brain)

	c.wants(world.KubernetesVersion)
	g.Eventually(c.reconciled).Should(ContainSubstring("version v1.36.3 must be greater than v1.36.4"))
	c.looksAt(workers, brain)
	c.wants("v1.36.4")
	g.Eventually(c.reconciled).Should(BeEmpty())
	c.looksAt(workers, brain)

	g.Expect(judgedByOthers(c.key.Namespace)).To(BeEmpty())
	for _, mhc := range []*clusterv1.MachineHealthCheck{workers, brain} {
		expectKept(g, mhc)
		g.Expect(told(t, mhc)).To(And(HaveKeyWithValue(adoption.EventAdopted, 1), HaveKeyWithValue(upgradepause.EventPaused, 2),
			Not(HaveKey(adoption.EventGivenBack)), Not(HaveKey(upgradepause.EventOverridden))), mhc.Name)
	}
}

// classy is a Cluster with a ClusterClass.
type classy struct {
	*testing.T
	*WithT
	key client.ObjectKey
}

// ready waits until all its machines are up.
func (c *classy) ready() {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), e2e.Patience)
	defer cancel()
	c.Expect(harness.World.WaitReady(ctx, c.key)).To(Succeed())
}

func (c *classy) patch(patch string) {
	c.Helper()
	cluster := &clusterv1.Cluster{ObjectMeta: metav1.ObjectMeta{Namespace: c.key.Namespace, Name: c.key.Name}}
	c.Expect(harness.World.Client().Patch(c.Context(), cluster, client.RawPatch("application/merge-patch+json", []byte(patch)))).To(Succeed())
}

// wants gives it a version of Kubernetes.
func (c *classy) wants(version string) {
	c.Helper()
	c.patch(fmt.Sprintf(`{"spec":{"topology":{"version":%q}}}`, version))
}

// reconciled returns why the Cluster is not as its topology says.
func (c *classy) reconciled() string {
	cluster := &clusterv1.Cluster{}
	c.Expect(harness.World.Client().Get(c.Context(), c.key, cluster)).To(Succeed())
	if condition := meta.FindStatusCondition(cluster.Status.Conditions, clusterv1.ClusterTopologyReconciledCondition); condition.Status != metav1.ConditionTrue {
		return condition.Message
	}
	return ""
}

// looksAt has the topology controller look at the Cluster many times. It changes nothing about the MachineHealthChecks, and has Sickbay change
// nothing.
func (c *classy) looksAt(mhcs ...*clusterv1.MachineHealthCheck) {
	c.Helper()
	before := written(mhcs)
	for range looks {
		had := topologyReconciles(c.T)
		c.patch(fmt.Sprintf(`{"metadata":{"annotations":{"sim.sickbay.dev/look":"%d"}}}`, had))
		c.Eventually(func() int { return topologyReconciles(c.T) }).Should(BeNumerically(">", had))
	}
	c.Expect(written(mhcs)-before).To(BeNumerically("<", looks/10), "what Sickbay says of the machines may change")
	for _, mhc := range mhcs {
		c.Expect(harness.World.Client().Get(c.Context(), client.ObjectKeyFromObject(mhc), mhc)).To(Succeed())
		c.Expect(mhcspec.HandedOver(mhc)).To(BeTrue())
		c.Expect(adoption.Owner(mhc)).To(Equal(adoption.FieldOwner))
	}
}

// written returns how often MachineHealthChecks were written.
func written(mhcs []*clusterv1.MachineHealthCheck) int {
	times := 0
	harness.Journal.Find(func(e journal.Entry) bool {
		for _, mhc := range mhcs {
			if check, ok := e.Object.(*clusterv1.MachineHealthCheck); ok && client.ObjectKeyFromObject(check) == client.ObjectKeyFromObject(mhc) {
				times++
			}
		}
		return false
	})
	return times
}

// topologyReconciles returns how often the topology controller has looked at a Cluster.
func topologyReconciles(t *testing.T) int {
	t.Helper()
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	times := 0.0
	for _, family := range families {
		if family.GetName() != "controller_runtime_reconcile_total" {
			continue
		}
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if label.GetName() == "controller" && label.GetValue() == "topology/cluster" {
					times += metric.GetCounter().GetValue()
				}
			}
		}
	}
	return int(times)
}

// judgedByOthers returns the machines of a namespace with a verdict that is not Sickbay's.
func judgedByOthers(namespace string) (names []string) {
	harness.Journal.Find(func(e journal.Entry) bool {
		machine, ok := e.Object.(*clusterv1.Machine)
		if !ok || machine.Namespace != namespace {
			return false
		}
		for _, entry := range machine.ManagedFields {
			if !isSickbay(entry) && strings.Contains(entry.FieldsV1.GetRawString(), `\"type\":\"`+clusterv1.MachineHealthCheckSucceededCondition+`\"`) {
				names = append(names, machine.Name+" by "+entry.Manager)
			}
		}
		return false
	})
	return names
}

// documents reads the objects of a file.
func documents(t *testing.T, name string) (objects []*unstructured.Unstructured) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	for reader := utilyaml.NewYAMLReader(bufio.NewReader(file)); ; {
		text, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return objects
		}
		object := &unstructured.Unstructured{}
		if err := errors.Join(err, yaml.Unmarshal(text, &object.Object)); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
}
