package versions_test

import (
	"path/filepath"
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	. "github.com/onsi/gomega"
	machinev1 "github.com/openshift/api/machine/v1beta1"
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
	"github.com/sickbay-dev/sickbay/sim/world"
)

// Pools of one machine each, with a MachineHealthCheck of the same name. They differ in who replaces the machine, or what is requested.
const (
	// marked has a machine whose owner does not respond for now; leaving has one whose owner deletes it, which takes long.
	marked, leaving = "marked", "leaving"
	requested       = "requested"
	// annotated and templated are on bare metal.
	annotated, templated = "annotated", "templated"
	// unowned are control-plane machines without an owner.
	unowned = "unowned"
)

// offTakes is longer than a change of versions takes.
const offTakes = 20 * time.Second

// site is a namespace with a sick machine for every kind of repair.
type site struct {
	*testing.T
	*WithT
	client client.Client
	ns     string
	// pool is a cluster in memory, and metal is one on hosts.
	pool, metal world.ClusterSpec
	machines    map[string]*clusterv1.Machine
	// theirs is an OpenShift Machine on its own host.
	theirs *machinev1.Machine
	// boots counts how often each host had booted before anything happened to it.
	boots map[client.ObjectKey]int
	sick  *e2e.Sickbay
}

func newSite(t *testing.T, ns string) *site {
	t.Helper()
	t.Parallel()
	w := &site{T: t, WithT: NewWithT(t), ns: ns, machines: map[string]*clusterv1.Machine{}, boots: map[client.ObjectKey]int{}}
	w.SetDefaultEventuallyTimeout(e2e.Patience)
	w.SetDefaultEventuallyPollingInterval(100 * time.Millisecond)
	kinds := world.NewScheme()
	w.Expect(machinev1.Install(kinds)).To(Succeed())
	var err error
	w.client, err = client.New(stand.World.Config(), client.Options{Scheme: kinds})
	w.Expect(err).NotTo(HaveOccurred())
	w.pool = world.ClusterSpec{Namespace: ns, Name: ns, Pools: pools(marked, leaving, requested)}
	w.metal = world.ClusterSpec{Namespace: ns, Name: ns + "-metal", BareMetal: true, Pools: pools(annotated, templated)}
	stand.Cluster(t, w.pool)
	stand.Cluster(t, w.metal)
	for spec, names := range map[*world.ClusterSpec][]string{&w.pool: {marked, leaving, requested}, &w.metal: {annotated, templated}} {
		for _, name := range names {
			w.machines[name] = w.only(stand.World.PoolMachines(t.Context(), spec.Key(), name))
			w.check(spec.Name, name, metav1.LabelSelector{MatchLabels: map[string]string{clusterv1.MachineDeploymentNameLabel: world.MachineDeploymentName(spec.Name, name)}})
		}
	}
	w.machines[unowned] = w.only(stand.World.ControlPlaneMachines(t.Context(), w.metal.Key()))
	w.check(w.metal.Name, unowned, metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: clusterv1.MachineControlPlaneLabel, Operator: metav1.LabelSelectorOpExists},
	}})
	w.openshift()
	for _, host := range []client.ObjectKey{w.host(annotated), w.host(templated), client.ObjectKeyFromObject(w.theirs)} {
		w.boots[host] = stand.World.Host(host).Boots()
	}
	return w
}

func pools(names ...string) []world.Pool {
	var all []world.Pool
	for _, name := range names {
		all = append(all, world.Pool{Name: name, Size: 1})
	}
	return all
}

func (w *site) only(machines []clusterv1.Machine, err error) *clusterv1.Machine {
	w.Helper()
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(machines).To(HaveLen(1))
	return &machines[0]
}

// check creates a MachineHealthCheck and what it refers to.
func (w *site) check(cluster, name string, selector metav1.LabelSelector) {
	w.Helper()
	check := &clusterv1.MachineHealthCheck{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: name},
		Spec: clusterv1.MachineHealthCheckSpec{
			ClusterName: cluster, Selector: selector,
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
		w.template(check, template)
	case templated:
		w.template(check, &v1alpha1.RebootRemediationTemplate{TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "RebootRemediationTemplate"}})
	case annotated:
		check.Annotations = map[string]string{"sickbay.dev/remediation": "reboot"}
	}
	w.Expect(w.client.Create(w.Context(), check)).To(Succeed())
}

func (w *site) template(check *clusterv1.MachineHealthCheck, template client.Object) {
	w.Helper()
	kind := template.GetObjectKind().GroupVersionKind()
	template.SetNamespace(w.ns)
	template.SetName(check.Name)
	w.Expect(w.client.Create(w.Context(), template)).To(Succeed())
	check.Spec.Remediation.TemplateRef = clusterv1.MachineHealthCheckRemediationTemplateReference{
		APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Name: check.Name,
	}
}

// openshift creates an OpenShift Machine on a host.
func (w *site) openshift() {
	w.Helper()
	meta := metav1.ObjectMeta{Namespace: w.ns, Name: w.ns + "-openshift"}
	host := &metal3v1.BareMetalHost{ObjectMeta: meta, Spec: metal3v1.BareMetalHostSpec{
		Online: true, BootMACAddress: "00:00:5e:00:53:01",
		BMC:         metal3v1.BMCDetails{Address: "ipmi://192.0.2.1", CredentialsName: "bmc"},
		Image:       &metal3v1.Image{URL: "http://192.0.2.1/rhcos.qcow2", Checksum: "none"},
		ConsumerRef: &corev1.ObjectReference{APIVersion: machinev1.GroupVersion.String(), Kind: "Machine", Namespace: w.ns, Name: meta.Name},
	}}
	w.theirs = &machinev1.Machine{ObjectMeta: meta}
	w.theirs.Annotations = map[string]string{"metal3.io/BareMetalHost": w.ns + "/" + host.Name}
	stand.World.Host(client.ObjectKeyFromObject(host)).Runs(baremetal.Kubelet(w.client))
	w.Expect(w.client.Create(w.Context(), host)).To(Succeed())
	w.Expect(w.client.Create(w.Context(), w.theirs)).To(Succeed())
	w.Eventually(func() error { return w.client.Get(w.Context(), client.ObjectKey{Name: host.Name}, &corev1.Node{}) }).Should(Succeed())
	w.Eventually(func() (metal3v1.ProvisioningState, error) {
		err := w.client.Get(w.Context(), client.ObjectKeyFromObject(host), host)
		return host.Status.Provisioning.State, err
	}).Should(Equal(metal3v1.StateProvisioned))
	w.theirs.Status.NodeRef = &corev1.ObjectReference{Kind: "Node", Name: host.Name}
	w.Expect(w.client.Status().Update(w.Context(), w.theirs)).To(Succeed())
}

// host returns the host of a bare-metal machine.
func (w *site) host(machine string) client.ObjectKey {
	return client.ObjectKey{Namespace: w.ns, Name: w.machines[machine].Status.NodeRef.Name}
}

// strike makes all machines sick that a MachineHealthCheck checks, and asks for a cycle of another one, as a person would.
func (w *site) strike() {
	w.Helper()
	w.ownerRests(true)
	for _, name := range []string{leaving, unowned} {
		w.Expect(fault.HoldDeletion{Machine: client.ObjectKeyFromObject(w.machines[name])}.Inject(w.Context(), stand.World)).To(Succeed())
	}
	for _, name := range []string{marked, leaving, requested} {
		f := fault.StopKubelet{Cluster: w.pool.Key(), Node: w.machines[name].Status.NodeRef.Name}
		w.Expect(f.Inject(w.Context(), stand.World)).To(Succeed())
	}
	for _, host := range []client.ObjectKey{w.host(annotated), w.host(templated), client.ObjectKeyFromObject(w.theirs)} {
		stand.World.Host(host).Set(baremetal.Faults{OffTakes: offTakes})
	}
	for _, name := range []string{annotated, templated, unowned} {
		w.Expect(fault.HangHost{Host: w.host(name)}.Inject(w.Context(), stand.World)).To(Succeed())
	}
	w.patch(w.theirs, `{"metadata":{"annotations":{"reboot.metal3.io":""}}}`)
}

// release lifts everything that keeps repairs from ending.
func (w *site) release() {
	w.Helper()
	w.ownerRests(false)
	for _, name := range []string{leaving, unowned} {
		w.Expect(fault.HoldDeletion{Machine: client.ObjectKeyFromObject(w.machines[name])}.Heal(w.Context(), stand.World)).To(Succeed())
	}
	w.Expect(fault.StopKubelet{Cluster: w.pool.Key(), Node: w.machines[requested].Status.NodeRef.Name}.Heal(w.Context(), stand.World)).To(Succeed())
}

// ownerRests makes the owner of the marked machine do nothing for now, or work again.
func (w *site) ownerRests(rests bool) {
	w.Helper()
	value := "null"
	if rests {
		value = `""`
	}
	var sets clusterv1.MachineSetList
	deployment := world.MachineDeploymentName(w.pool.Name, marked)
	w.Expect(w.client.List(w.Context(), &sets, client.InNamespace(w.ns), client.MatchingLabels{clusterv1.MachineDeploymentNameLabel: deployment})).To(Succeed())
	w.Expect(sets.Items).To(HaveLen(1))
	w.patch(&sets.Items[0], `{"metadata":{"annotations":{"cluster.x-k8s.io/paused":`+value+`}}}`)
}

func (w *site) patch(object client.Object, patch string) {
	w.Helper()
	w.Expect(w.client.Patch(w.Context(), object, client.RawPatch(types.MergePatchType, []byte(patch)))).To(Succeed())
}

// start runs a version in place of the running one. The current version gets the rights that the chart gives it. The previous version
// needed other rights, so it gets all.
func (w *site) start(binary string, args ...string) {
	w.Helper()
	if w.sick != nil {
		w.Expect(w.sick.Stop()).To(Succeed())
	}
	args = append([]string{"--namespace=" + w.ns}, args...)
	if binary != before {
		w.sick = stand.SickbayEverywhere(w.T, args...)
		return
	}
	kubeconfig := filepath.Join(w.TempDir(), "kubeconfig")
	w.Expect(stand.World.WriteKubeconfig(kubeconfig)).To(Succeed())
	w.sick = e2e.StartSickbay(w.T, binary, kubeconfig, args...)
}
