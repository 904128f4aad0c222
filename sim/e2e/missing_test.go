package e2e_test

import (
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/rights"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// TestKindsThatAreNotInstalled: Sickbay may be started first. It waits for Cluster API, says so once, and then begins to
// judge. Until its own kinds are installed, it repairs nothing, and says how to install them.
func TestKindsThatAreNotInstalled(t *testing.T) {
	t.Parallel()
	g := newTest(t)
	bare, err := world.Start(waitContext(t), world.Options{Bare: true})
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(bare.Stop(waitContext(t))).To(Succeed()) })
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	account, err := rights.ForArgs(false, nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(account.WriteKubeconfig(waitContext(t), bare.Config(), kubeconfig)).To(Succeed())

	sick := e2e.StartSickbay(t, harness.Binary, kubeconfig)
	g.Eventually(func() []string { return sick.Log.Lines("Controllers wait for their kinds to be installed") }).Should(ConsistOf(
		ContainSubstring(`"machinehealth, machinehealthcheck, remediation"`),
		ContainSubstring(`"bare-metal hosts"`),
		ContainSubstring("MachineRemediation.sickbay.dev/v1alpha1, MachineRemediationTemplate.sickbay.dev/v1alpha1, Cluster.cluster.x-k8s.io/v1beta2"),
		ContainSubstring("MachineHealthCheck.cluster.x-k8s.io/v1beta2, Cluster.cluster.x-k8s.io/v1beta2, MachineDeployment.cluster.x-k8s.io/v1beta2"),
		ContainSubstring("MachineHealthCheck.machine.openshift.io/v1beta1"),
		ContainSubstring("ClusterVersion.config.openshift.io/v1"),
		ContainSubstring("MachineConfigPool.machineconfiguration.openshift.io/v1"),
		ContainSubstring("RebootRemediation.sickbay.dev/v1alpha1, BareMetalHost.metal3.io/v1alpha1, Machine.cluster.x-k8s.io/v1beta2"),
		ContainSubstring("RebootRemediation.sickbay.dev/v1alpha1, BareMetalHost.metal3.io/v1alpha1, Machine.machine.openshift.io/v1beta1"),
		ContainSubstring("looking for what was left on hosts"),
		ContainSubstring(`"records of OpenShift"`), ContainSubstring(`"intake of Cluster API"`), ContainSubstring(`"intake of OpenShift"`)))
	install(t, bare, world.ClusterAPICRDs)
	key := client.ObjectKey{Namespace: metav1.NamespaceDefault, Name: "late"}
	for _, object := range []client.Object{lateCluster(key), lateMachine(key), healthCheck(key, metav1.LabelSelector{MatchLabels: map[string]string{"late": ""}})} {
		g.Expect(bare.Client().Create(t.Context(), object)).To(Succeed())
	}
	judgedOnly(t, bare, key)

	install(t, bare, world.SickbayCRDs)
	g.Eventually(func() bool {
		return apierrors.IsNotFound(bare.Client().Get(t.Context(), key, &clusterv1.Machine{}))
	}).Should(BeTrue(), "the machine that somebody wants to be rid of is deleted, since nobody owns it")
	g.Eventually(func() []string { return sick.Log.Lines("Controllers start, their kinds are installed") }).Should(ConsistOf(
		ContainSubstring(`"machinehealth, machinehealthcheck, remediation"`), ContainSubstring(`"records of machinehealthcheck, remediation"`),
		ContainSubstring(`"upgradepause of Cluster API"`), ContainSubstring(`"intake of Cluster API"`)))
}

func install(t *testing.T, w *world.World, definitions func() ([]*apiextensionsv1.CustomResourceDefinition, error)) {
	t.Helper()
	g := NewWithT(t)
	crds, err := definitions()
	g.Expect(err).NotTo(HaveOccurred())
	_, err = envtest.InstallCRDs(w.Config(), envtest.CRDInstallOptions{Scheme: scheme.Scheme, CRDs: crds, MaxTime: e2e.Patience})
	g.Expect(err).NotTo(HaveOccurred())
}

// judgedOnly: the machine has its verdict, and the MachineHealthCheck says why nothing happens.
func judgedOnly(t *testing.T, w *world.World, key client.ObjectKey) {
	t.Helper()
	g := newTest(t)
	mhc, machine := &clusterv1.MachineHealthCheck{}, &clusterv1.Machine{}
	g.Eventually(func(g Gomega) {
		g.Expect(w.Client().Get(t.Context(), key, machine)).To(Succeed())
		g.Expect(journal.HasVerdict(metav1.ConditionFalse, "HasRemediateMachineAnnotation")(machine)).To(BeTrue())
		g.Expect(w.Client().Get(t.Context(), key, mhc)).To(Succeed())
		allowed := meta.FindStatusCondition(mhc.Status.Conditions, clusterv1.MachineHealthCheckRemediationAllowedCondition)
		g.Expect(allowed).To(HaveValue(And(
			HaveField("Status", metav1.ConditionFalse), HaveField("Reason", "KindsNotInstalled"),
			HaveField("Message", And(ContainSubstring("sickbay crds | kubectl apply -f -"), ContainSubstring("1 waits: "+key.Name))))))
	}).Should(Succeed())
	g.Expect(machine.DeletionTimestamp.IsZero()).To(BeTrue())
}

func lateCluster(key client.ObjectKey) *clusterv1.Cluster {
	return &clusterv1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name},
		Spec:       clusterv1.ClusterSpec{ControlPlaneEndpoint: clusterv1.APIEndpoint{Host: "127.0.0.1", Port: 6443}},
	}
}

func lateMachine(key client.ObjectKey) *clusterv1.Machine {
	return &clusterv1.Machine{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: key.Namespace, Name: key.Name, Labels: map[string]string{"late": ""},
			Annotations: map[string]string{clusterv1.RemediateMachineAnnotation: ""},
		},
		Spec: clusterv1.MachineSpec{
			ClusterName: key.Name, Bootstrap: clusterv1.Bootstrap{DataSecretName: new("none")},
			InfrastructureRef: clusterv1.ContractVersionedObjectReference{APIGroup: "infrastructure.cluster.x-k8s.io", Kind: "DevMachine", Name: "none"},
		},
	}
}
