package e2e_test

import (
	"flag"
	"os"
	"testing"

	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// stand is what all tests of this package share.
var stand *e2e.Stand

func TestMain(m *testing.M) {
	flag.Parse()
	o := world.Options{CRDPaths: []string{"testdata/fix.yaml"}, BareMetal: true}
	if *everything {
		// One for each cluster ever made.
		o.Ports = world.PortRange{Min: 25000, Max: 29999}
	}
	os.Exit(e2e.Main(m, o, func(s *e2e.Stand) { stand = s }))
}
