package kubelets_test

import (
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/conditions"
	"sigs.k8s.io/cluster-api/util/kubeconfig"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

const namespace = "kubelets"

// long bounds every wait.
const long = 300 * time.Second

// stage is where the stories play.
type stage struct {
	*testing.T

	plane    *plane
	provider *provider
}

// in returns the same stage for a subtest.
func (s *stage) in(t *testing.T) *stage {
	t.Helper()
	return &stage{t, s.plane, s.provider}
}

// newTest returns a Gomega with long timeouts.
func newTest(t *testing.T) *WithT {
	t.Helper()
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(long)
	g.SetDefaultEventuallyPollingInterval(100 * time.Millisecond)
	return g
}

// create creates objects in the management cluster.
func create(t *testing.T, objects ...client.Object) {
	t.Helper()
	for _, object := range objects {
		NewWithT(t).Expect(harness.World.Client().Create(t.Context(), object)).To(Succeed())
	}
}

// cluster creates a Cluster whose API server is reached through an endpoint. Nobody manages its control plane.
func cluster(t *testing.T, name string, by *endpoint) {
	t.Helper()
	g := NewWithT(t)
	server, err := url.Parse(by.URL)
	g.Expect(err).NotTo(HaveOccurred())
	port, err := strconv.ParseInt(server.Port(), 10, 32)
	g.Expect(err).NotTo(HaveOccurred())
	access, err := by.kubeconfig()
	g.Expect(err).NotTo(HaveOccurred())
	c := &clusterv1.Cluster{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	c.Spec.Paused = new(true)
	c.Spec.InfrastructureRef = reference(clusterKind, name)
	c.Spec.ControlPlaneEndpoint = clusterv1.APIEndpoint{Host: server.Hostname(), Port: int32(port)}
	create(t, kubeconfig.GenerateSecretWithOwner(client.ObjectKeyFromObject(c), access, metav1.OwnerReference{
		APIVersion: clusterv1.GroupVersion.String(), Kind: clusterv1.ClusterKind, Name: name, UID: "made-before-it",
	}), newObject(clusterKind, name, map[string]any{"status": map[string]any{"initialization": map[string]any{"provisioned": true}}}), c)
	// A control plane provider would say that the control plane answers. Cluster API, which might overwrite it, is paused until that is said.
	management := harness.World.Client()
	newTest(t).Eventually(func(g Gomega) {
		g.Expect(management.Get(t.Context(), client.ObjectKeyFromObject(c), c)).To(Succeed())
		g.Expect(conditions.IsTrue(c, clusterv1.PausedCondition)).To(BeTrue())
		c.Status.Initialization.ControlPlaneInitialized = new(true)
		conditions.Set(c, metav1.Condition{Type: clusterv1.ClusterControlPlaneInitializedCondition, Status: metav1.ConditionTrue, Reason: "Made"})
		g.Expect(management.Status().Update(t.Context(), c)).To(Succeed())
		c.Spec.Paused = new(false)
		g.Expect(management.Update(t.Context(), c)).To(Succeed())
	}).Should(Succeed())
}

// newObject returns an object of the provider.
func newObject(kind schema.GroupVersionKind, name string, content map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(kind)
	u.SetNamespace(namespace)
	u.SetName(name)
	return u
}

func reference(kind schema.GroupVersionKind, name string) clusterv1.ContractVersionedObjectReference {
	return clusterv1.ContractVersionedObjectReference{APIGroup: kind.Group, Kind: kind.Kind, Name: name}
}

// pool is a group of machines with its own MachineHealthCheck.
type pool struct {
	*stage
	*WithT

	cluster, name string
	size          int
	kit           kit
	// timeouts are those of Node conditions.
	timeouts []clusterv1.UnhealthyNodeCondition
	startup  time.Duration
	inFlight string
}

func (s *stage) pool(name string, size int, k kit, timeouts ...clusterv1.UnhealthyNodeCondition) *pool {
	s.Helper()
	return &pool{stage: s, WithT: newTest(s.T), cluster: "blue", name: name, size: size, kit: k, timeouts: timeouts, startup: time.Minute}
}

func after(condition corev1.NodeConditionType, status corev1.ConditionStatus, timeout time.Duration) clusterv1.UnhealthyNodeCondition {
	return clusterv1.UnhealthyNodeCondition{Type: condition, Status: status, TimeoutSeconds: new(int32(timeout.Seconds()))}
}

// up creates the pool, and returns its machines once all are healthy.
func (p *pool) up() []clusterv1.Machine {
	p.Helper()
	p.create()
	return p.healthy()
}

func (p *pool) create() {
	p.Helper()
	spec := world.ClusterSpec{Namespace: namespace, Name: p.cluster, Version: world.KubernetesVersion}
	deployment := spec.MachineDeployment(p.deployment(), world.Pool{Name: p.name, Size: p.size})
	deployment.Spec.Template.Spec.Bootstrap = clusterv1.Bootstrap{DataSecretName: new("nothing")} // a machine here needs none
	deployment.Spec.Template.Spec.InfrastructureRef = reference(templateKind, p.deployment())
	own, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&p.kit)
	p.Expect(err).NotTo(HaveOccurred())
	template := newObject(templateKind, p.deployment(), map[string]any{"spec": map[string]any{"template": map[string]any{"spec": own}}})
	check := &clusterv1.MachineHealthCheck{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: p.deployment()}}
	if p.inFlight != "" {
		check.Annotations = map[string]string{"sickbay.dev/max-in-flight": p.inFlight}
	}
	check.Spec.ClusterName = p.cluster
	check.Spec.Selector.MatchLabels = map[string]string{clusterv1.MachineDeploymentNameLabel: p.deployment()}
	check.Spec.Checks.UnhealthyNodeConditions = p.timeouts
	check.Spec.Checks.NodeStartupTimeoutSeconds = new(int32(p.startup.Seconds()))
	create(p.T, template, deployment, check)
}

func (p *pool) deployment() string { return world.MachineDeploymentName(p.cluster, p.name) }

// machines returns the machines of the pool.
func (p *pool) machines(g Gomega) []clusterv1.Machine {
	all, err := harness.World.PoolMachines(p.Context(), client.ObjectKey{Namespace: namespace, Name: p.cluster}, p.name)
	g.Expect(err).NotTo(HaveOccurred())
	return all
}

// newest returns a machine of the pool that is not among the old ones, once it runs.
func (p *pool) newest(old ...types.UID) *clusterv1.Machine {
	p.Helper()
	var found *clusterv1.Machine
	p.Eventually(func(g Gomega) {
		for _, machine := range p.machines(g) {
			if !slices.Contains(old, machine.UID) && p.provider.machine(machine.Name) != nil {
				found = &machine
			}
		}
		g.Expect(found).NotTo(BeNil())
	}).Should(Succeed())
	return found
}

// healthy returns the machines of the pool once they are all there and healthy.
func (p *pool) healthy() []clusterv1.Machine {
	p.Helper()
	var all []clusterv1.Machine
	p.Eventually(func(g Gomega) {
		all = p.machines(g)
		g.Expect(all).To(HaveLen(p.size))
		for i := range all {
			g.Expect(all[i].DeletionTimestamp).To(BeNil())
			g.Expect(conditions.IsTrue(&all[i], clusterv1.MachineNodeReadyCondition)).To(BeTrue(), "%s: %+v", all[i].Name, all[i].Status.Conditions)
			g.Expect(journal.HasVerdict(metav1.ConditionTrue, "")(&all[i])).To(BeTrue(), "%s: %+v", all[i].Name, journal.Verdict(&all[i]))
		}
	}).Should(Succeed())
	return all
}

// node returns a condition of the Node of a machine, as the API server has it.
func (p *pool) node(g Gomega, machine *clusterv1.Machine, condition corev1.NodeConditionType) corev1.NodeCondition {
	node := &corev1.Node{}
	g.Expect(p.plane.Client().Get(p.Context(), client.ObjectKey{Name: machine.Name}, node)).To(Succeed())
	for _, c := range node.Status.Conditions {
		if c.Type == condition {
			return c
		}
	}
	return corev1.NodeCondition{}
}
