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

// installation is a namespace with a sick machine for every kind of repair, and the Sickbay that handles them.
type installation struct {
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

func newInstallation(t *testing.T, ns string) *installation {
	t.Helper()
	t.Parallel()
	i := &installation{T: t, WithT: NewWithT(t), ns: ns, machines: map[string]*clusterv1.Machine{}, boots: map[client.ObjectKey]int{}}
	i.SetDefaultEventuallyTimeout(e2e.Patience)
	i.SetDefaultEventuallyPollingInterval(100 * time.Millisecond)
	kinds := world.NewScheme()
	i.Expect(machinev1.Install(kinds)).To(Succeed())
	var err error
	i.client, err = client.New(harness.World.Config(), client.Options{Scheme: kinds})
	i.Expect(err).NotTo(HaveOccurred())
	i.pool = world.ClusterSpec{Namespace: ns, Name: ns, Pools: pools(marked, leaving, requested)}
	i.metal = world.ClusterSpec{Namespace: ns, Name: ns + "-metal", BareMetal: true, Pools: pools(annotated, templated)}
	harness.Cluster(t, i.pool)
	harness.Cluster(t, i.metal)
	for spec, names := range map[*world.ClusterSpec][]string{&i.pool: {marked, leaving, requested}, &i.metal: {annotated, templated}} {
		for _, name := range names {
			i.machines[name] = i.only(harness.World.PoolMachines(t.Context(), spec.Key(), name))
			i.check(spec.Name, name, metav1.LabelSelector{MatchLabels: map[string]string{clusterv1.MachineDeploymentNameLabel: world.MachineDeploymentName(spec.Name, name)}})
		}
	}
	i.machines[unowned] = i.only(harness.World.ControlPlaneMachines(t.Context(), i.metal.Key()))
	i.check(i.metal.Name, unowned, metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: clusterv1.MachineControlPlaneLabel, Operator: metav1.LabelSelectorOpExists},
	}})
	i.openshift()
	for _, host := range []client.ObjectKey{i.host(annotated), i.host(templated), client.ObjectKeyFromObject(i.theirs)} {
		i.boots[host] = harness.World.Host(host).Boots()
	}
	return i
}

func pools(names ...string) []world.Pool {
	var all []world.Pool
	for _, name := range names {
		all = append(all, world.Pool{Name: name, Size: 1})
	}
	return all
}

func (i *installation) only(machines []clusterv1.Machine, err error) *clusterv1.Machine {
	i.Helper()
	i.Expect(err).NotTo(HaveOccurred())
	i.Expect(machines).To(HaveLen(1))
	return &machines[0]
}

// check creates a MachineHealthCheck and what it refers to.
func (i *installation) check(cluster, name string, selector metav1.LabelSelector) {
	i.Helper()
	check := &clusterv1.MachineHealthCheck{
		ObjectMeta: metav1.ObjectMeta{Namespace: i.ns, Name: name},
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
		i.template(check, template)
	case templated:
		i.template(check, &v1alpha1.RebootRemediationTemplate{TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "RebootRemediationTemplate"}})
	case annotated:
		check.Annotations = map[string]string{"sickbay.dev/remediation": "reboot"}
	}
	i.Expect(i.client.Create(i.Context(), check)).To(Succeed())
}

func (i *installation) template(check *clusterv1.MachineHealthCheck, template client.Object) {
	i.Helper()
	kind := template.GetObjectKind().GroupVersionKind()
	template.SetNamespace(i.ns)
	template.SetName(check.Name)
	i.Expect(i.client.Create(i.Context(), template)).To(Succeed())
	check.Spec.Remediation.TemplateRef = clusterv1.MachineHealthCheckRemediationTemplateReference{
		APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Name: check.Name,
	}
}

// openshift creates an OpenShift Machine on a host.
func (i *installation) openshift() {
	i.Helper()
	meta := metav1.ObjectMeta{Namespace: i.ns, Name: i.ns + "-openshift"}
	host := &metal3v1.BareMetalHost{ObjectMeta: meta, Spec: metal3v1.BareMetalHostSpec{
		Online: true, BootMACAddress: "00:00:5e:00:53:01",
		BMC:         metal3v1.BMCDetails{Address: "ipmi://192.0.2.1", CredentialsName: "bmc"},
		Image:       &metal3v1.Image{URL: "http://192.0.2.1/rhcos.qcow2", Checksum: "none"},
		ConsumerRef: &corev1.ObjectReference{APIVersion: machinev1.GroupVersion.String(), Kind: "Machine", Namespace: i.ns, Name: meta.Name},
	}}
	i.theirs = &machinev1.Machine{ObjectMeta: meta}
	i.theirs.Annotations = map[string]string{"metal3.io/BareMetalHost": i.ns + "/" + host.Name}
	harness.World.Host(client.ObjectKeyFromObject(host)).Runs(baremetal.Kubelet(i.client))
	i.Expect(i.client.Create(i.Context(), host)).To(Succeed())
	i.Expect(i.client.Create(i.Context(), i.theirs)).To(Succeed())
	i.Eventually(func() error { return i.client.Get(i.Context(), client.ObjectKey{Name: host.Name}, &corev1.Node{}) }).Should(Succeed())
	i.Eventually(func() (metal3v1.ProvisioningState, error) {
		err := i.client.Get(i.Context(), client.ObjectKeyFromObject(host), host)
		return host.Status.Provisioning.State, err
	}).Should(Equal(metal3v1.StateProvisioned))
	i.theirs.Status.NodeRef = &corev1.ObjectReference{Kind: "Node", Name: host.Name}
	i.Expect(i.client.Status().Update(i.Context(), i.theirs)).To(Succeed())
}

// host returns the host of a bare-metal machine.
func (i *installation) host(machine string) client.ObjectKey {
	return client.ObjectKey{Namespace: i.ns, Name: i.machines[machine].Status.NodeRef.Name}
}

// strike makes all machines sick that a MachineHealthCheck checks, and asks for a cycle of another one, as a person would.
func (i *installation) strike() {
	i.Helper()
	i.ownerRests(true)
	for _, name := range []string{leaving, unowned} {
		i.Expect(fault.HoldDeletion{Machine: client.ObjectKeyFromObject(i.machines[name])}.Inject(i.Context(), harness.World)).To(Succeed())
	}
	for _, name := range []string{marked, leaving, requested} {
		f := fault.StopKubelet{Cluster: i.pool.Key(), Node: i.machines[name].Status.NodeRef.Name}
		i.Expect(f.Inject(i.Context(), harness.World)).To(Succeed())
	}
	for _, host := range []client.ObjectKey{i.host(annotated), i.host(templated), client.ObjectKeyFromObject(i.theirs)} {
		harness.World.Host(host).Set(baremetal.Faults{OffTakes: offTakes})
	}
	for _, name := range []string{annotated, templated, unowned} {
		i.Expect(fault.HangHost{Host: i.host(name)}.Inject(i.Context(), harness.World)).To(Succeed())
	}
	i.patch(i.theirs, `{"metadata":{"annotations":{"reboot.metal3.io":""}}}`)
}

// release lifts everything that keeps repairs from ending.
func (i *installation) release() {
	i.Helper()
	i.ownerRests(false)
	for _, name := range []string{leaving, unowned} {
		i.Expect(fault.HoldDeletion{Machine: client.ObjectKeyFromObject(i.machines[name])}.Heal(i.Context(), harness.World)).To(Succeed())
	}
	i.Expect(fault.StopKubelet{Cluster: i.pool.Key(), Node: i.machines[requested].Status.NodeRef.Name}.Heal(i.Context(), harness.World)).To(Succeed())
}

// ownerRests makes the owner of the marked machine do nothing for now, or work again.
func (i *installation) ownerRests(rests bool) {
	i.Helper()
	value := "null"
	if rests {
		value = `""`
	}
	var sets clusterv1.MachineSetList
	deployment := world.MachineDeploymentName(i.pool.Name, marked)
	i.Expect(i.client.List(i.Context(), &sets, client.InNamespace(i.ns), client.MatchingLabels{clusterv1.MachineDeploymentNameLabel: deployment})).To(Succeed())
	i.Expect(sets.Items).To(HaveLen(1))
	i.patch(&sets.Items[0], `{"metadata":{"annotations":{"cluster.x-k8s.io/paused":`+value+`}}}`)
}

func (i *installation) patch(object client.Object, patch string) {
	i.Helper()
	i.Expect(i.client.Patch(i.Context(), object, client.RawPatch(types.MergePatchType, []byte(patch)))).To(Succeed())
}

// start runs a version in place of the running one. The current version gets the rights that the chart gives it. The previous version
// needed other rights, so it gets all.
func (i *installation) start(binary string, args ...string) {
	i.Helper()
	if i.sick != nil {
		i.Expect(i.sick.Stop()).To(Succeed())
	}
	args = append([]string{"--namespace=" + i.ns}, args...)
	if binary != before {
		i.sick = harness.SickbayEverywhere(i.T, args...)
		return
	}
	kubeconfig := filepath.Join(i.TempDir(), "kubeconfig")
	i.Expect(harness.World.WriteKubeconfig(kubeconfig)).To(Succeed())
	i.sick = e2e.StartSickbay(i.T, binary, kubeconfig, args...)
}
