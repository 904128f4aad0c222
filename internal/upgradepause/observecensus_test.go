package upgradepause

import (
	"context"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// crowd is a cache with a Cluster and many Machines. It counts how many are read.
type crowd struct {
	client.Client
	cluster  *clusterv1.Cluster
	machines []clusterv1.Machine
	read     int
	// meanwhile is called during a read.
	meanwhile func()
}

func (c *crowd) Get(_ context.Context, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	c.cluster.DeepCopyInto(obj.(*clusterv1.Cluster))
	return nil
}

func (c *crowd) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	if l, ok := list.(*clusterv1.MachineList); ok {
		l.Items = append(l.Items, c.machines...)
		c.read += len(c.machines)
		if c.meanwhile != nil {
			c.meanwhile()
		}
	}
	return nil
}

func newCrowd(machines int) *crowd {
	c := &crowd{cluster: build.Cluster("ns", build.ClusterName)}
	build.Annotation(pause.OptionAnnotation, "true")(c.cluster)
	c.cluster.Spec.ControlPlaneRef = clusterv1.ContractVersionedObjectReference{}
	for i := range machines {
		m := build.Machine("ns", fmt.Sprint("m", i))
		build.Label("check", fmt.Sprint(i%10))(m)
		build.Label(clusterv1.MachineDeploymentNameLabel, "md")(m)
		m.Spec.Version = v33
		c.machines = append(c.machines, *trimmed(m).(*clusterv1.Machine))
	}
	return c
}

// TestCensusOfOneEvent: after an event of a Machine, the Machines of its Cluster are read once, however many MachineHealthChecks look,
// including for Nodes that are not Ready.
func TestCensusOfOneEvent(t *testing.T) {
	const machines, checks = 1000, 10
	cache := newCrowd(machines)
	r := &Reconciler{Kind: ClusterAPIKind, Client: cache}
	open := func(context.Context, client.Object) error { return nil }
	signal := clusterAPI{reader: cache, rollouts: cache, censuses: &r.censuses, open: open}
	readiness := clusterMachines{selectors: &r.selectors, reader: cache, censuses: &r.censuses, open: open}
	for event := range 3 {
		for i := range checks {
			check := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
				Namespace: "ns", Name: fmt.Sprint("mhc", i), Labels: map[string]string{clusterv1.ClusterNameLabel: build.ClusterName},
			}}
			r.selectors.kept.Set(client.ObjectKeyFromObject(check), &selected{selector: labels.SelectorFromSet(labels.Set{"check": fmt.Sprint(i)})})
			signal.Read(t.Context(), check)
			names, err := readiness.NotReady(t.Context(), check)
			if want := machines/checks - event; err != nil || (i == 0 && len(names) != want) {
				t.Fatalf("event %d: %d are not Ready, want %d: %v", event, len(names), want, err)
			}
		}
		if want := (event + 1) * machines; cache.read != want {
			t.Fatalf("event %d: %d Machines were read, want %d", event, cache.read, want)
		}
		machine := &cache.machines[event*checks] // a Machine of the first MachineHealthCheck
		machine.Status.Conditions = []metav1.Condition{{Type: clusterv1.MachineNodeReadyCondition, Status: metav1.ConditionTrue}}
		r.ofCluster(t.Context(), machine)
	}
}

// TestCensusOfTheDayBefore: a count is not kept if a Machine changed during it.
func TestCensusOfTheDayBefore(t *testing.T) {
	cache, c, key := newCrowd(1), &censuses{}, client.ObjectKey{Namespace: "ns", Name: build.ClusterName}
	cache.meanwhile = func() {
		cache.meanwhile = nil
		cache.machines[0].Status.Conditions = []metav1.Condition{{Type: clusterv1.MachineNodeReadyCondition, Status: metav1.ConditionTrue}}
		c.changed(key)
	}
	if _, err := c.of(t.Context(), cache, key); err != nil { // it reads the old state
		t.Fatal(err)
	}
	result, err := c.of(t.Context(), cache, key)
	if err != nil || len(result.NotReady(labels.Everything())) > 0 {
		t.Errorf("counted %+v, %v", result, err)
	}
	if cache.read != 2 {
		t.Errorf("read %d times, want 2", cache.read)
	}
}

// TestManagerNodesThatComeLater: a Node joins a pool that updates, and its MachineHealthCheck is paused without an event of the pool.
func TestManagerNodesThatComeLater(t *testing.T) {
	s := newStage(t)
	s.openshiftMachine("worker", map[string]any{"machine.openshift.io/cluster-api-machine-role": "worker"})
	node := s.node("worker")
	s.relabel(node, map[string]string{workerRole: ""})
	s.check(OpenShiftKind, "workers", nil)
	worker, infra := storePool(t, s.env, workers(3, 1, corev1.ConditionTrue)), workers(1, 1, corev1.ConditionTrue)
	infra.Name, infra.Spec.NodeSelector.MatchLabels = "infra", map[string]string{infraRole: ""}
	storePool(t, s.env, infra)
	s.run(s.env.Config)
	s.Expect(s.pools.Set()).To(Succeed())
	mhc := s.annotations(OpenShiftKind, "workers")
	s.Eventually(mhc).Should(HaveKey(keyMarker), "Nodes have been read")
	through := workers(3, 3, corev1.ConditionTrue)
	through.Status.Configuration = through.Spec.Configuration
	worker.Status = through.Status
	storePoolStatus(t, s.env, worker)
	s.Eventually(mhc).ShouldNot(HaveKey(keyMarker))

	infra.Status = workers(1, 0, corev1.ConditionTrue).Status
	storePoolStatus(t, s.env, infra)
	check := read(t, s.env.Client, OpenShiftKind, client.ObjectKey{Namespace: s.ns, Name: "workers"})
	before := check.DeepCopy()
	build.Annotation(keySince, at(noon))(check) // the next look removes it
	s.Expect(s.env.Client.Patch(t.Context(), check, client.MergeFrom(before))).To(Succeed())
	s.Eventually(mhc).ShouldNot(HaveKey(keySince))
	s.Expect(mhc()).NotTo(HaveKey(keyMarker), "it has no Node in that pool")
	s.relabel(node, map[string]string{workerRole: "", infraRole: ""})
	s.Eventually(mhc).Should(HaveKeyWithValue(keyHandled, HavePrefix("machineconfigpool/infra/")))
}

func (s *stage) relabel(node *corev1.Node, labels map[string]string) {
	s.t.Helper()
	node.Labels = labels
	s.Expect(s.env.Client.Update(s.t.Context(), node)).To(Succeed())
}
