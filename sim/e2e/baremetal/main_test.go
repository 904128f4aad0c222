package baremetal_test

import (
	"os"
	"testing"

	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/world"
)

var harness *e2e.Harness

func TestMain(m *testing.M) {
	os.Exit(e2e.Main(m, e2e.Options{Package: "e2e/baremetal", World: world.Options{BareMetal: true}}, func(h *e2e.Harness) { harness = h }))
}
