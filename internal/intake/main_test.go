package intake

import (
	"testing"

	machinev1 "github.com/openshift/api/machine/v1beta1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestMain runs the tests with OpenShift's own definitions.
func TestMain(m *testing.M) {
	env.Main(m,
		env.WithScheme(v1alpha1.AddToScheme, machinev1.Install),
		env.WithCRDFiles("config/crd/sickbay*.yaml"),
		env.WithModuleCRDs("github.com/openshift/api", "machine/v1beta1/zz_generated.crd-manifests/*_machines-Default.crd.yaml",
			"machine/v1beta1/zz_generated.crd-manifests/*_machinehealthchecks.crd.yaml"))
}
