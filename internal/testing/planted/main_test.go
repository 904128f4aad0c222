package planted

import (
	"os"
	"testing"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/cli"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// asSickbay makes the test binary the program, so that its flags, its logs and its end are those of the program.
const asSickbay = "SICKBAY_TEST_RUNS_SICKBAY"

func TestMain(m *testing.M) {
	if os.Getenv(asSickbay) != "" {
		os.Exit(cli.Main(ctrl.SetupSignalHandler(), os.Args[1:], os.Stdout, os.Stderr))
	}
	env.Main(m, env.WithScheme(v1alpha1.AddToScheme), env.WithCRDFiles("config/crd/sickbay.dev_*.yaml"))
}
