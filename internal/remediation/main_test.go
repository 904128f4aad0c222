package remediation

import (
	"testing"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

func TestMain(m *testing.M) {
	env.Main(m, env.WithScheme(v1alpha1.AddToScheme), env.WithScheme(metal3v1.AddToScheme), env.WithCRDFiles("config/crd/sickbay*.yaml"), env.WithCRDs(env.AnythingGoes(hostKind), env.AnythingGoes(controlPlaneKind)))
}
