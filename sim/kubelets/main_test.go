package kubelets_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/world"
)

var programs = flag.String("kubelets", "", "directory of kubelet, kube-controller-manager and kubemark; without it nothing is done")

var harness *e2e.Harness

func TestMain(m *testing.M) {
	flag.Parse()
	if *programs == "" {
		fmt.Println("Nothing is tried without kubelets, which make test-kubelets builds.") //nolint:forbidigo // there is no test to log to
		os.Exit(0)
	}
	o := world.Options{CRDPaths: []string{filepath.Join("testdata", "kinds.yaml")}}
	os.Exit(e2e.Main(m, e2e.Options{Package: "kubelets", World: o}, func(h *e2e.Harness) { harness = h }))
}
