package e2e_test

import (
	"flag"
	"os"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// harness is shared by all tests of this package.
var harness *e2e.Harness

func TestMain(m *testing.M) {
	flag.Parse()
	o := e2e.Options{Package: "e2e", World: world.Options{BareMetal: true}, Others: []rbacv1.PolicyRule{
		// docs/operations/bare-metal.md asks for these rights where hosts belong to infrastructure machines of another kind
		// than Metal3's.
		{APIGroups: []string{"infrastructure.cluster.x-k8s.io"}, Resources: []string{"devmachines"}, Verbs: []string{"get"}},
	}}
	os.Exit(e2e.Main(m, o, func(h *e2e.Harness) { harness = h }))
}
