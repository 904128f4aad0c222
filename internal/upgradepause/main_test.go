package upgradepause

import (
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

func TestMain(m *testing.M) {
	env.Main(m,
		env.WithScheme(configv1.Install, mcfgv1.Install, controlplanev1.AddToScheme),
		env.WithModuleCRDs("github.com/openshift/api",
			"config/v1/zz_generated.crd-manifests/*clusterversions-Default.crd.yaml",
			"machine/v1beta1/zz_generated.crd-manifests/*_machinehealthchecks.crd.yaml",
			"machine/v1beta1/zz_generated.crd-manifests/*_machines-Default.crd.yaml",
			"machineconfiguration/v1/zz_generated.crd-manifests/*_machineconfigpools-SelfManagedHA.crd.yaml"),
		env.WithModuleCRDs("sigs.k8s.io/cluster-api",
			"controlplane/kubeadm/config/crd/bases/*_kubeadmcontrolplanes.yaml"))
}
