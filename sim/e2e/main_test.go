package e2e_test

import (
	"os"
	"testing"

	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// stand is what all tests of this package share.
var stand *e2e.Stand

func TestMain(m *testing.M) {
	os.Exit(e2e.Main(m, world.Options{CRDPaths: []string{"testdata/fix.yaml"}, BareMetal: true}, func(s *e2e.Stand) { stand = s }))
}
