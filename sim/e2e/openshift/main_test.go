package openshift_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/sickbay-dev/sickbay/sim/baremetal"
	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// The places of OpenShift's CustomResourceDefinitions.
const (
	openshiftAPI      = "github.com/openshift/api"
	machineCRD        = "machine/v1beta1/zz_generated.crd-manifests/0000_10_machine-api_01_machines-Default.crd.yaml"
	healthCheckCRD    = "machine/v1beta1/zz_generated.crd-manifests/0000_10_machine-api_01_machinehealthchecks.crd.yaml"
	clusterVersionCRD = "config/v1/zz_generated.crd-manifests/0000_00_cluster-version-operator_01_clusterversions-Default.crd.yaml"
)

var harness *e2e.Harness

func TestMain(m *testing.M) {
	hosts, err := baremetal.CRDDir()
	paths := []string{hosts}
	for _, file := range []string{machineCRD, healthCheckCRD} {
		if err != nil {
			break
		}
		var crd string
		crd, err = world.ModuleFile(openshiftAPI, file)
		paths = append(paths, crd)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "finding definitions:", err)
		os.Exit(1)
	}
	os.Exit(e2e.Main(m, e2e.Options{Package: "e2e/openshift", OpenShift: true, World: world.Options{CRDPaths: paths}}, func(h *e2e.Harness) { harness = h }))
}
