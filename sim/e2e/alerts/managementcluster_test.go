package alerts_test

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/intake"
	"github.com/sickbay-dev/sickbay/sim/baremetal/bmo"
	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/sickbay"
	"github.com/sickbay-dev/sickbay/sim/world"
)

const (
	// namespace is where Sickbay handles machines.
	namespace = "alerts"
	// poor has a Sickbay without the right to write.
	poor = "poor"
	// idle has a Sickbay that does not lead.
	idle = "idle"
)

// managementCluster has workload clusters, and the Sickbays that handle them.
type managementCluster struct {
	*testing.T
	*WithT
	client    client.Client
	token     string
	addresses map[string]string
	sickbays  map[string]*e2e.Sickbay
}

// in returns the same management cluster for a subtest.
func (c *managementCluster) in(t *testing.T) *managementCluster {
	t.Helper()
	inner := *c
	inner.T, inner.WithT = t, patiently(t)
	return &inner
}

// newManagementCluster creates the workload clusters, and the Sickbay that handles them.
func newManagementCluster(t *testing.T) *managementCluster {
	t.Helper()
	c := &managementCluster{
		T: t, WithT: patiently(t), client: harness.World.Client(), addresses: map[string]string{}, sickbays: map[string]*e2e.Sickbay{},
	}
	for _, name := range []string{namespace, poor, idle, intake.Namespace} {
		c.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	c.token = c.account("prometheus", rbacv1.PolicyRule{Verbs: []string{"get"}, NonResourceURLs: []string{"/metrics"}})
	for _, name := range []string{"main", poor, idle, "openshift"} {
		address, err := sickbay.FreeAddress()
		c.Expect(err).NotTo(HaveOccurred())
		c.addresses[name] = address
	}
	var made sync.WaitGroup
	for _, spec := range clusters() {
		made.Go(func() { harness.Cluster(t, spec) })
	}
	made.Wait()
	if t.Failed() {
		t.FailNow()
	}
	c.create(plans()...)
	c.create(checks()...)
	c.startAsInstalled("main", "--namespace="+namespace, "--remote-conditions-grace-period=5s", "--max-upgrade-pause-warning=3s")
	return c
}

// startOthers starts the Sickbays that have a problem of their own.
func (c *managementCluster) startOthers(t *testing.T) {
	t.Helper()
	cfg := harness.World.Config()
	reader := &rest.Config{Host: cfg.Host, TLSClientConfig: rest.TLSClientConfig{CAData: cfg.CAData}, BearerToken: c.account("reader",
		rbacv1.PolicyRule{Verbs: []string{"get", "list", "watch"}, APIGroups: []string{"*"}, Resources: []string{"*"}},
		rbacv1.PolicyRule{Verbs: []string{"create"}, APIGroups: []string{"authentication.k8s.io"}, Resources: []string{"tokenreviews"}},
		rbacv1.PolicyRule{Verbs: []string{"create"}, APIGroups: []string{"authorization.k8s.io"}, Resources: []string{"subjectaccessreviews"}})}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	c.Expect(bmo.WriteKubeconfig(kubeconfig, reader)).To(Succeed())
	c.start(poor, kubeconfig, "--namespace="+poor, "--controllers=machinehealth,machinehealthcheck,remediation")
	c.start(idle, kubeconfig, "--namespace="+idle, "--leader-elect", "--leader-elect-namespace="+idle)
	c.startAsInstalled("openshift", "--namespace="+intake.Namespace, "--controllers=remediation,reboot,intake", "--openshift-external-remediation")
}

// startAsInstalled starts a Sickbay with the rights that the chart gives it.
func (c *managementCluster) startAsInstalled(name string, args ...string) {
	c.Helper()
	kubeconfig, err := harness.Kubeconfig(c.Context(), args...)
	c.Expect(err).NotTo(HaveOccurred())
	c.start(name, kubeconfig, args...)
}

func (c *managementCluster) start(name, kubeconfig string, args ...string) {
	c.Helper()
	c.sickbays[name] = e2e.StartSickbay(c.T, harness.Binary, kubeconfig, append(args, "--metrics-bind-address="+c.addresses[name])...)
}

func (c *managementCluster) create(objects ...client.Object) {
	c.Helper()
	for _, object := range objects {
		c.Expect(client.IgnoreAlreadyExists(c.client.Create(c.Context(), object))).To(Succeed())
	}
}

// account creates a ServiceAccount with some rights, and returns its token.
func (c *managementCluster) account(name string, rules ...rbacv1.PolicyRule) string {
	c.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: name}}
	c.create(account,
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: account.Namespace, Name: name}},
		})
	request := &authenticationv1.TokenRequest{}
	c.Expect(c.client.SubResource("token").Create(c.Context(), account, request)).To(Succeed())
	return request.Status.Token
}

func key(cluster string) client.ObjectKey {
	return client.ObjectKey{Namespace: namespace, Name: cluster}
}

// pool returns the machines of a pool once all of them have Nodes.
func (c *managementCluster) pool(cluster, name string) []*clusterv1.Machine {
	c.Helper()
	machines, err := harness.World.PoolMachines(c.Context(), key(cluster), name)
	c.Expect(err).NotTo(HaveOccurred())
	c.Expect(machines).NotTo(BeEmpty())
	var found []*clusterv1.Machine
	for i := range machines {
		c.Expect(machines[i].Status.NodeRef.IsDefined()).To(BeTrue())
		found = append(found, &machines[i])
	}
	return found
}

func (c *managementCluster) inject(f fault.Fault) {
	c.Helper()
	c.Expect(f.Inject(c.Context(), harness.World)).To(Succeed())
}

func (c *managementCluster) stopsKubelet(machine *clusterv1.Machine) {
	c.Helper()
	c.inject(fault.StopKubelet{Cluster: key(machine.Spec.ClusterName), Node: machine.Status.NodeRef.Name})
}

// sickens makes the first machine of a pool of the cluster blue sick.
func sickens(pool string) func(*managementCluster) {
	return func(c *managementCluster) { c.stopsKubelet(c.pool("blue", pool)[0]) }
}

// annotate sets annotations, and removes those that are nil.
func (c *managementCluster) annotate(object client.Object, annotations map[string]any) {
	c.Helper()
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations}})
	c.Expect(err).NotTo(HaveOccurred())
	c.Expect(c.client.Patch(c.Context(), object, client.RawPatch(types.MergePatchType, patch))).To(Succeed())
}

// hostOf returns the key of the host of a bare-metal machine, whose Node has the same name.
func hostOf(machine *clusterv1.Machine) client.ObjectKey {
	return client.ObjectKey{Namespace: machine.Namespace, Name: machine.Status.NodeRef.Name}
}

// eventually polls the API until a condition holds.
func (c *managementCluster) eventually(what string, look func(ctx context.Context) (bool, error)) {
	c.Helper()
	c.Eventually(func() (bool, error) { return look(c.Context()) }).Should(BeTrue(), what)
}

// clusters returns the workload clusters.
func clusters() []world.ClusterSpec {
	pools := map[string]int{"gate": 2, "fails": 2}
	for _, one := range []string{"held", "approval", "hold", "paused", "stuck", "late", "replaced"} {
		pools[one] = 1
	}
	blue := world.ClusterSpec{Namespace: namespace, Name: "blue"}
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		blue.Pools = append(blue.Pools, world.Pool{Name: name, Size: pools[name]})
	}
	return []world.ClusterSpec{
		blue,
		{Namespace: namespace, Name: "iron", BareMetal: true, Pools: []world.Pool{{Name: "relapse", Size: 3}, {Name: "hosts", Size: 4}}},
		{Namespace: namespace, Name: "red", Workers: 1},
		{Namespace: namespace, Name: "green", Workers: 1, Annotations: map[string]string{"sickbay.dev/pause-on-upgrade": "true"}},
	}
}
