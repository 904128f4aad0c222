// Package config_test holds the tests of the manifests in this directory: that an API server takes
// them, and that what they permit is enough for the manager and no more than it should be.
package config_test

import (
	"testing"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	configv1 "github.com/openshift/api/config/v1"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// infrastructureKind is that of the infrastructure machines of Metal3.
var infrastructureKind = schema.GroupVersionKind{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta1", Kind: "Metal3Machine"}

func TestMain(m *testing.M) {
	env.Main(m,
		env.WithScheme(configv1.Install, machinev1.Install, metal3v1.AddToScheme, v1alpha1.AddToScheme, controlplanev1.AddToScheme),
		env.WithModuleCRDs("github.com/openshift/api",
			"config/v1/zz_generated.crd-manifests/*clusterversions-Default.crd.yaml",
			"machine/v1beta1/zz_generated.crd-manifests/*_machinehealthchecks.crd.yaml",
			"machine/v1beta1/zz_generated.crd-manifests/*_machines-Default.crd.yaml"),
		env.WithCRDs(env.AnythingGoes(reboot.HostKind), env.AnythingGoes(infrastructureKind)),
		env.WithModuleCRDs("sigs.k8s.io/cluster-api", "controlplane/kubeadm/config/crd/bases/*_kubeadmcontrolplanes.yaml"))
}
