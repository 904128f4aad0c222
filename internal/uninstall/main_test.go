package uninstall_test

import (
	"testing"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	configv1 "github.com/openshift/api/config/v1"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// metal is the kind of the infrastructure machines that name hosts.
var metal = schema.GroupVersionKind{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta1", Kind: "Metal3Machine"}

func TestMain(m *testing.M) {
	env.Main(m,
		env.WithScheme(v1alpha1.AddToScheme, configv1.Install, machinev1.Install, metal3v1.AddToScheme),
		env.WithCRDFiles("config/crd/sickbay.dev_*.yaml"),
		env.WithCRDs(env.AnythingGoes(metal3v1.GroupVersion.WithKind("BareMetalHost")), env.AnythingGoes(metal)),
		env.WithModuleCRDs("github.com/openshift/api",
			"config/v1/zz_generated.crd-manifests/*clusterversions-Default.crd.yaml",
			"machine/v1beta1/zz_generated.crd-manifests/*_machinehealthchecks.crd.yaml",
			"machine/v1beta1/zz_generated.crd-manifests/*_machines-Default.crd.yaml"))
}
