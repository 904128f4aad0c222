package machinehealthcheck

import (
	"testing"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

func TestMain(m *testing.M) {
	env.Main(m, env.WithScheme(v1alpha1.AddToScheme), env.WithCRDFiles("config/crd/sickbay*.yaml"))
}
