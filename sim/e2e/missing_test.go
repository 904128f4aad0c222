package e2e_test

import (
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// TestKindsThatAreNotInstalled: Sickbay can come first. It waits for Cluster API, says so once, and begins to work.
func TestKindsThatAreNotInstalled(t *testing.T) {
	t.Parallel()
	g := newTest(t)
	bare, err := world.Start(patient(t), world.Options{Bare: true})
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(bare.Stop(patient(t))).To(Succeed()) })
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	g.Expect(bare.WriteKubeconfig(kubeconfig)).To(Succeed())

	sick := e2e.StartSickbay(t, stand.Binary, kubeconfig)
	g.Expect(sick.Log.Lines("Controllers wait for their kinds to be installed")).To(ConsistOf(
		ContainSubstring("Cluster.cluster.x-k8s.io/v1beta2, Machine.cluster.x-k8s.io/v1beta2, MachineHealthCheck.cluster.x-k8s.io/v1beta2"),
		ContainSubstring("MachineHealthCheck.cluster.x-k8s.io/v1beta2, Cluster.cluster.x-k8s.io/v1beta2, MachineDeployment.cluster.x-k8s.io/v1beta2"),
		ContainSubstring("MachineHealthCheck.machine.openshift.io/v1beta1"),
		ContainSubstring("ClusterVersion.config.openshift.io/v1"),
		ContainSubstring("RebootRemediation.sickbay.dev/v1alpha1, BareMetalHost.metal3.io/v1alpha1, Machine.cluster.x-k8s.io/v1beta2"),
		ContainSubstring("RebootRemediation.sickbay.dev/v1alpha1, BareMetalHost.metal3.io/v1alpha1, Machine.machine.openshift.io/v1beta1"),
		ContainSubstring("looking for what was left on hosts")))
	crds, err := world.ClusterAPICRDs()
	g.Expect(err).NotTo(HaveOccurred())
	_, err = envtest.InstallCRDs(bare.Config(), envtest.CRDInstallOptions{Scheme: scheme.Scheme, CRDs: crds, MaxTime: e2e.Patience})
	g.Expect(err).NotTo(HaveOccurred())

	key := client.ObjectKey{Namespace: metav1.NamespaceDefault, Name: "late"}
	for _, object := range []client.Object{lateCluster(key), lateMachine(key), healthCheck(key, metav1.LabelSelector{MatchLabels: map[string]string{"late": ""}})} {
		g.Expect(bare.Client().Create(t.Context(), object)).To(Succeed())
	}
	g.Eventually(func() bool {
		return apierrors.IsNotFound(bare.Client().Get(t.Context(), key, &clusterv1.Machine{}))
	}).Should(BeTrue(), "the machine that somebody wants to be rid of is deleted, since nobody owns it")
	g.Eventually(func() []string { return sick.Log.Lines("Controllers start, their kinds are installed") }).Should(ConsistOf(
		ContainSubstring(`"machinehealth, machinehealthcheck"`), ContainSubstring(`"upgradepause of Cluster API"`)))
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
