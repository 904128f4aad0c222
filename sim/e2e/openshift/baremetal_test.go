package openshift_test

import (
	"context"
	"os/exec"
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	. "github.com/onsi/gomega"
	machinev1beta1 "github.com/openshift/api/machine/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake"
	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/sim/baremetal"
	"github.com/sickbay-dev/sickbay/sim/e2e"
)

const externalRemediation = "--openshift-external-remediation"

// TestExternalRemediation: OpenShift's health check annotates a Machine whose host hangs. The host is power-cycled once, the machine is
// healthy again, and nothing is left behind. Before that, Sickbay refuses to start beside a provider that does the same.
func TestExternalRemediation(t *testing.T) {
	i := newInstallation(t)
	i.Expect(metal3v1.AddToScheme(i.client.Scheme())).To(Succeed())
	i.Expect(v1alpha1.AddToScheme(i.client.Scheme())).To(Succeed())
	i.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: intake.Namespace}})
	i.refusesBesideProvider()

	operator, err := baremetal.Start(t.Context(), harness.World.Config(), baremetal.Options{Program: baremetal.Kubelet(i.client)})
	i.Expect(err).NotTo(HaveOccurred())
	defer func() { i.Expect(operator.Close()).To(Succeed()) }()
	machine, host := i.worker("worker-0")
	node := i.node("worker-0")
	before := operator.Host(client.ObjectKeyFromObject(host)).Boots()
	i.patch(machine, `{"metadata":{"annotations":{"`+ask.External+`":""}}}`)
	i.notReady(node)

	harness.SickbayEverywhere(t, "--controllers=remediation,reboot,intake", externalRemediation)
	i.Eventually(i.annotations(machine)).ShouldNot(HaveKey(ask.External), "the machine is healthy")
	i.Expect(machine.Annotations).NotTo(HaveKey(rebootannotation.Outcome))
	i.Expect(i.node("worker-0").UID).NotTo(Equal(node.UID), "its Node was deleted while the host was off")
	i.Expect(operator.Host(client.ObjectKeyFromObject(host)).Boots()).To(Equal(before + 1))
	i.Eventually(func() ([]string, error) {
		var records v1alpha1.MachineRemediationList
		err := i.client.List(t.Context(), &records, client.InNamespace(intake.Namespace))
		var ends []string
		for _, record := range records.Items {
			ends = append(ends, string(record.Status.Phase)+" "+ladder.Success(&record.Status).Reason)
		}
		return ends, err
	}).Should(Equal([]string{"Ended Recovered"}), "one record says what was done")
	i.Expect(i.annotations(host)()).To(BeEmpty(), "and nobody keeps the host off")
}

// refusesBesideProvider starts Sickbay while the provider holds its Lease.
func (i *installation) refusesBesideProvider() {
	i.Helper()
	lease := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: intake.Namespace, Name: intake.ProviderLease},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: new("capbm"), LeaseDurationSeconds: new(int32(120)), RenewTime: new(metav1.NewMicroTime(time.Now())),
		},
	}
	i.create(lease)
	ctx, cancel := context.WithTimeout(i.Context(), e2e.Patience)
	defer cancel()
	kubeconfig, err := harness.Kubeconfig(ctx, "--controllers=remediation,reboot,intake", externalRemediation)
	i.Expect(err).NotTo(HaveOccurred())
	said, err := exec.CommandContext(ctx, harness.Binary, "manager", "--kubeconfig="+kubeconfig, "--controllers=remediation,reboot,intake",
		"--health-probe-bind-address=0", "--metrics-bind-address=0", externalRemediation).CombinedOutput()
	i.Expect(err).To(HaveOccurred())
	i.Expect(string(said)).To(ContainSubstring("cluster-api-provider-baremetal runs"))
	i.Expect(i.client.Delete(i.Context(), lease)).To(Succeed())
}

func (i *installation) create(objects ...client.Object) {
	i.Helper()
	for _, object := range objects {
		i.Expect(i.client.Create(i.Context(), object)).To(Succeed())
	}
}

func (i *installation) patch(object client.Object, patch string) {
	i.Helper()
	i.Expect(i.client.Patch(i.Context(), object, client.RawPatch("application/merge-patch+json", []byte(patch)))).To(Succeed())
}

// worker creates an OpenShift Machine on a running host, with its health check, and waits for its Node.
func (i *installation) worker(name string) (*machinev1beta1.Machine, *metal3v1.BareMetalHost) {
	i.Helper()
	meta := metav1.ObjectMeta{Namespace: intake.Namespace, Name: name, Labels: map[string]string{"machine.openshift.io/cluster-api-machine-role": "worker"}}
	host := &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: meta.Namespace, Name: name}, Spec: metal3v1.BareMetalHostSpec{
		Online: true, BootMACAddress: "00:00:5e:00:53:01",
		BMC:         metal3v1.BMCDetails{Address: "ipmi://192.0.2.1", CredentialsName: "bmc"},
		Image:       &metal3v1.Image{URL: "http://192.0.2.1/rhcos.qcow2", Checksum: "none"},
		ConsumerRef: &corev1.ObjectReference{APIVersion: machinev1beta1.GroupVersion.String(), Kind: "Machine", Namespace: meta.Namespace, Name: name},
	}}
	machine := &machinev1beta1.Machine{ObjectMeta: meta}
	machine.Annotations = map[string]string{"metal3.io/BareMetalHost": meta.Namespace + "/" + name}
	check := &machinev1beta1.MachineHealthCheck{ObjectMeta: metav1.ObjectMeta{
		Namespace: meta.Namespace, Name: "workers", Annotations: map[string]string{"machine.openshift.io/remediation-strategy": "external-baremetal"},
	}, Spec: machinev1beta1.MachineHealthCheckSpec{
		Selector: metav1.LabelSelector{MatchLabels: meta.Labels},
		UnhealthyConditions: []machinev1beta1.UnhealthyCondition{
			{Type: "Ready", Status: "Unknown", Timeout: metav1.Duration{Duration: time.Minute}},
		},
	}}
	i.create(host, machine, check)
	i.Eventually(func() error { return i.client.Get(i.Context(), client.ObjectKey{Name: name}, &corev1.Node{}) }).Should(Succeed())
	i.Eventually(func() (metal3v1.ProvisioningState, error) {
		err := i.client.Get(i.Context(), client.ObjectKeyFromObject(host), host)
		return host.Status.Provisioning.State, err
	}).Should(Equal(metal3v1.StateProvisioned))
	machine.Status.NodeRef = &corev1.ObjectReference{Kind: "Node", Name: name}
	i.Expect(i.client.Status().Update(i.Context(), machine)).To(Succeed())
	return machine, host
}

func (i *installation) node(name string) *corev1.Node {
	i.Helper()
	node := &corev1.Node{}
	i.Expect(i.client.Get(i.Context(), client.ObjectKey{Name: name}, node)).To(Succeed())
	return node
}

// notReady writes what Kubernetes reports about the Node of a host that hangs.
func (i *installation) notReady(node *corev1.Node) {
	i.Helper()
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}
	i.Expect(i.client.Status().Update(i.Context(), node)).To(Succeed())
}
