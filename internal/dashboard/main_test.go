package dashboard

import (
	"testing"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestMain runs the tests with an API server that has Cluster API's kinds and Sickbay's own.
func TestMain(m *testing.M) {
	env.Main(m, env.WithScheme(v1alpha1.AddToScheme), env.WithCRDFiles("config/crd/sickbay.dev_*.yaml"))
}
