package openshift_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// Where OpenShift keeps its CustomResourceDefinitions.
const (
	openshiftAPI      = "github.com/openshift/api"
	healthCheckCRD    = "machine/v1beta1/zz_generated.crd-manifests/0000_10_machine-api_01_machinehealthchecks.crd.yaml"
	clusterVersionCRD = "config/v1/zz_generated.crd-manifests/0000_00_cluster-version-operator_01_clusterversions-Default.crd.yaml"
)

var stand *e2e.Stand

func TestMain(m *testing.M) {
	crd, err := world.ModuleFile(openshiftAPI, healthCheckCRD)
	if err != nil {
		fmt.Fprintln(os.Stderr, "finding OpenShift's definitions:", err)
		os.Exit(1)
	}
	os.Exit(e2e.Main(m, world.Options{CRDPaths: []string{crd}}, func(s *e2e.Stand) { stand = s }))
}
