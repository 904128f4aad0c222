package planted

import (
	"os"
	"testing"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/cli"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// asSickbay makes the test binary run as the program, with the program's flags, logs and exit code.
const asSickbay = "SICKBAY_TEST_RUNS_SICKBAY"

func TestMain(m *testing.M) {
	if os.Getenv(asSickbay) != "" {
		os.Exit(cli.Main(ctrl.SetupSignalHandler(), os.Args[1:], os.Stdout, os.Stderr))
	}
	env.Main(m, env.WithScheme(v1alpha1.AddToScheme), env.WithCRDFiles("config/crd/sickbay.dev_*.yaml"))
}
