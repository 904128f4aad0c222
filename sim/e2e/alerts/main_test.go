package alerts_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/world"
)

var binaries = flag.String("prometheus", "", "directory of the binary prometheus; without it nothing is done")

// machineCRDs are the kinds of OpenShift's machine API.
var machineCRDs = []string{
	"machine/v1beta1/zz_generated.crd-manifests/0000_10_machine-api_01_machines-Default.crd.yaml",
	"machine/v1beta1/zz_generated.crd-manifests/0000_10_machine-api_01_machinehealthchecks.crd.yaml",
}

var harness *e2e.Harness

func TestMain(m *testing.M) {
	flag.Parse()
	if *binaries == "" {
		fmt.Println("Nothing is tried without Prometheus, which make test-operate builds.") //nolint:forbidigo // there is no test to log to
		os.Exit(0)
	}
	o := world.Options{BareMetal: true}
	for _, file := range machineCRDs {
		path, err := world.ModuleFile("github.com/openshift/api", file)
		if err != nil {
			fmt.Fprintln(os.Stderr, "finding definitions:", err)
			os.Exit(1)
		}
		o.CRDPaths = append(o.CRDPaths, path)
	}
	os.Exit(e2e.Main(m, e2e.Options{Package: "e2e/alerts", OpenShift: true, World: o}, func(h *e2e.Harness) { harness = h }))
}
