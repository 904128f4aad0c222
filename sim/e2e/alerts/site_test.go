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
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/externalremediation"
	"github.com/sickbay-dev/sickbay/internal/lease"
	"github.com/sickbay-dev/sickbay/sim/baremetal/bmo"
	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/rights"
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
	// shared has several Sickbays.
	shared = "shared"
)

// site has clusters, and the Sickbays that handle them.
type site struct {
	*testing.T
	*WithT
	client    client.Client
	token     string
	addresses map[string]string
	sickbays  map[string]*e2e.Sickbay
}

// in returns the same site for a subtest.
func (w *site) in(t *testing.T) *site {
	t.Helper()
	inner := *w
	inner.T, inner.WithT = t, patiently(t)
	return &inner
}

// newSite creates everything, with the Sickbay that handles it.
func newSite(t *testing.T) *site {
	t.Helper()
	w := &site{
		T: t, WithT: patiently(t), client: stand.World.Client(), addresses: map[string]string{}, sickbays: map[string]*e2e.Sickbay{},
	}
	for _, name := range []string{namespace, poor, idle, shared, externalremediation.Namespace} {
		w.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	w.token = w.account("prometheus", rbacv1.PolicyRule{Verbs: []string{"get"}, NonResourceURLs: []string{"/metrics"}})
	for _, name := range []string{"main", poor, idle, "openshift", "part", "whole", "beside"} {
		address, err := sickbay.FreeAddress()
		w.Expect(err).NotTo(HaveOccurred())
		w.addresses[name] = address
	}
	var made sync.WaitGroup
	for _, spec := range clusters() {
		made.Go(func() { stand.Cluster(t, spec) })
	}
	made.Wait()
	if t.Failed() {
		t.FailNow()
	}
	w.create(plans()...)
	w.create(checks()...)
	w.startAsInstalled("main", "--namespace="+namespace, "--remote-conditions-grace-period=5s", "--max-upgrade-pause-warning=3s")
	return w
}

// startOthers starts the Sickbays that have a problem of their own.
func (w *site) startOthers(t *testing.T) {
	t.Helper()
	cfg := stand.World.Config()
	reader := &rest.Config{Host: cfg.Host, TLSClientConfig: rest.TLSClientConfig{CAData: cfg.CAData}, BearerToken: w.account("reader",
		rbacv1.PolicyRule{Verbs: []string{"get", "list", "watch"}, APIGroups: []string{"*"}, Resources: []string{"*"}},
		rbacv1.PolicyRule{Verbs: []string{"create"}, APIGroups: []string{"authentication.k8s.io"}, Resources: []string{"tokenreviews"}},
		rbacv1.PolicyRule{Verbs: []string{"create"}, APIGroups: []string{"authorization.k8s.io"}, Resources: []string{"subjectaccessreviews"}})}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	w.Expect(bmo.WriteKubeconfig(kubeconfig, reader)).To(Succeed())
	w.start(poor, kubeconfig, "--namespace="+poor, "--controllers=machinehealth,machinehealthcheck,remediation")
	w.start(idle, kubeconfig, "--namespace="+idle, "--leader-elect", "--leader-elect-namespace="+idle)
	w.startAsInstalled("openshift", "--namespace="+externalremediation.Namespace, "--controllers=reboot", "--openshift-external-remediation")
	w.startSharing()
}

// startSharing starts a Sickbay that judges machines, then one that would do more and waits for the first, and one that does the same
// without a lease.
func (w *site) startSharing() {
	w.Helper()
	judges := []string{"--namespace=" + shared, "--controllers=machinehealth"}
	elect := []string{"--leader-elect", "--leader-elect-namespace=" + rights.Namespace}
	w.startAsInstalled("part", append(elect, judges...)...)
	w.eventually("it leads", func(ctx context.Context) (bool, error) {
		held := &coordinationv1.Lease{}
		err := w.client.Get(ctx, client.ObjectKey{Namespace: rights.Namespace, Name: "sickbay-manager.only-machinehealth.in-" + shared}, held)
		return lease.Holder(held) != "", client.IgnoreNotFound(err)
	})
	w.startAsInstalled("whole", append(elect, "--namespace="+shared, "--controllers=machinehealth,machinehealthcheck,remediation")...)
	w.startAsInstalled("beside", judges...)
}

// startAsInstalled starts a Sickbay with the rights that the chart gives it.
func (w *site) startAsInstalled(name string, args ...string) {
	w.Helper()
	kubeconfig, err := stand.Kubeconfig(w.Context(), args...)
	w.Expect(err).NotTo(HaveOccurred())
	w.start(name, kubeconfig, args...)
}

func (w *site) start(name, kubeconfig string, args ...string) {
	w.Helper()
	w.sickbays[name] = e2e.StartSickbay(w.T, stand.Binary, kubeconfig, append(args, "--metrics-bind-address="+w.addresses[name])...)
}

func (w *site) create(objects ...client.Object) {
	w.Helper()
	for _, object := range objects {
		w.Expect(client.IgnoreAlreadyExists(w.client.Create(w.Context(), object))).To(Succeed())
	}
}

// account creates a ServiceAccount with some rights, and returns its token.
func (w *site) account(name string, rules ...rbacv1.PolicyRule) string {
	w.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: name}}
	w.create(account,
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: account.Namespace, Name: name}},
		})
	request := &authenticationv1.TokenRequest{}
	w.Expect(w.client.SubResource("token").Create(w.Context(), account, request)).To(Succeed())
	return request.Status.Token
}

func key(cluster string) client.ObjectKey {
	return client.ObjectKey{Namespace: namespace, Name: cluster}
}

// pool returns the machines of a pool once all of them have Nodes.
func (w *site) pool(cluster, name string) []*clusterv1.Machine {
	w.Helper()
	machines, err := stand.World.PoolMachines(w.Context(), key(cluster), name)
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(machines).NotTo(BeEmpty())
	var found []*clusterv1.Machine
	for i := range machines {
		w.Expect(machines[i].Status.NodeRef.IsDefined()).To(BeTrue())
		found = append(found, &machines[i])
	}
	return found
}

func (w *site) inject(f fault.Fault) {
	w.Helper()
	w.Expect(f.Inject(w.Context(), stand.World)).To(Succeed())
}

func (w *site) stopsKubelet(machine *clusterv1.Machine) {
	w.Helper()
	w.inject(fault.StopKubelet{Cluster: key(machine.Spec.ClusterName), Node: machine.Status.NodeRef.Name})
}

// sickens makes the first machine of a pool of the cluster blue sick.
func sickens(pool string) func(*site) {
	return func(w *site) { w.stopsKubelet(w.pool("blue", pool)[0]) }
}

// annotate sets annotations, and removes those that are nil.
func (w *site) annotate(object client.Object, annotations map[string]any) {
	w.Helper()
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations}})
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(w.client.Patch(w.Context(), object, client.RawPatch(types.MergePatchType, patch))).To(Succeed())
}

// hostOf returns the key of the host of a bare-metal machine, whose Node has the same name.
func hostOf(machine *clusterv1.Machine) client.ObjectKey {
	return client.ObjectKey{Namespace: machine.Namespace, Name: machine.Status.NodeRef.Name}
}

// eventually polls the API until a condition holds.
func (w *site) eventually(what string, look func(ctx context.Context) (bool, error)) {
	w.Helper()
	w.Eventually(func() (bool, error) { return look(w.Context()) }).Should(BeTrue(), what)
}

// clusters returns the clusters of the site.
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
