package remediation

import (
	"testing"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	machinev1 "github.com/openshift/api/machine/v1beta1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

func TestMain(m *testing.M) {
	env.Main(m,
		env.WithScheme(v1alpha1.AddToScheme, metal3v1.AddToScheme, machinev1.Install), env.WithCRDFiles("config/crd/sickbay*.yaml"),
		env.WithModuleCRDs("github.com/openshift/api", "machine/v1beta1/zz_generated.crd-manifests/*_machines-Default.crd.yaml",
			"machine/v1beta1/zz_generated.crd-manifests/*_machinehealthchecks.crd.yaml"),
		env.WithCRDs(env.AnythingGoes(hostKind), env.AnythingGoes(controlPlaneKind)))
}
