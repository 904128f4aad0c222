package reboot

import (
	"testing"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// infrastructureKind is the kind of the infrastructure machines in the tests.
var infrastructureKind = schema.GroupVersionKind{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta1", Kind: "Metal3Machine"}

// controlPlaneKind is the kind of control planes that say where their etcd runs.
var controlPlaneKind = schema.GroupVersionKind{Group: "controlplane.cluster.x-k8s.io", Version: "v1beta2", Kind: "KubeadmControlPlane"}

func TestMain(m *testing.M) {
	env.Main(m,
		env.WithScheme(v1alpha1.AddToScheme, metal3v1.AddToScheme, machinev1.Install),
		env.WithCRDFiles("config/crd/sickbay*.yaml"),
		env.WithModuleCRDs("github.com/openshift/api", "machine/v1beta1/zz_generated.crd-manifests/*_machines-Default.crd.yaml",
			"machine/v1beta1/zz_generated.crd-manifests/*_machinehealthchecks.crd.yaml"),
		env.WithCRDs(env.AnythingGoes(HostKind), env.AnythingGoes(infrastructureKind), env.AnythingGoes(controlPlaneKind)))
}
