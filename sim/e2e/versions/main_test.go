package versions_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// The kind of OpenShift's Machine, whose hosts are cycled, too.
const (
	openshiftAPI = "github.com/openshift/api"
	machineCRD   = "machine/v1beta1/zz_generated.crd-manifests/0000_10_machine-api_01_machines-Default.crd.yaml"
)

var (
	// versions enables these tests, which need another version to be built.
	versions = flag.Bool("versions", false, "change versions in the middle of repairs, as make test-upgrade asks for")

	harness *e2e.Harness
	// before is the path of the previous version's binary.
	before string
)

func TestMain(m *testing.M) {
	flag.Parse()
	if !*versions {
		fmt.Fprintln(os.Stdout, "The change of versions is tried by make test-upgrade.")
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "sickbay-before-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	before, err = buildBefore(dir)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "building the version before:", err)
		return 1
	case before == "":
		fmt.Fprintf(os.Stdout, "LEFT OUT: the history of this repository does not reach back to %s, the last version without MachineRemediations; fetch all of it.\n", commitBefore)
		return 0
	}
	openshift, err := world.ModuleFile(openshiftAPI, machineCRD)
	if err != nil {
		fmt.Fprintln(os.Stderr, "finding definitions:", err)
		return 1
	}
	o := e2e.Options{
		Package: "e2e/versions", OpenShift: true,
		World: world.Options{BareMetal: true, CRDPaths: []string{"../testdata/fix.yaml", openshift}},
		Others: []rbacv1.PolicyRule{
			{APIGroups: []string{"remediation.example.dev"}, Resources: []string{"fixremediationtemplates"}, Verbs: []string{"get", "list", "watch"}},
			{APIGroups: []string{"remediation.example.dev"}, Resources: []string{"fixremediations"}, Verbs: []string{"get", "list", "watch", "create", "delete"}},
			{APIGroups: []string{"infrastructure.cluster.x-k8s.io"}, Resources: []string{"devmachines"}, Verbs: []string{"get"}},
		},
	}
	return e2e.Main(m, o, func(h *e2e.Harness) { harness = h })
}
