package world_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// it is the world that all tests of this package share, because starting one takes longer than
// any test.
var it *world.World

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

// run is separate from TestMain because os.Exit skips deferred calls.
func run(m *testing.M) (code int) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var err error
	if it, err = world.Start(ctx, world.Options{BareMetal: true}); err != nil {
		fmt.Fprintln(os.Stderr, "starting the world:", err)
		return 1
	}
	defer func() {
		if err := it.Stop(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "stopping the world:", err)
			code = 1
		}
	}()
	return m.Run()
}
