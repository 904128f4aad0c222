package fault_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// patience allows for a machine that compiles other tests at the same time. Cluster API itself sometimes waits for 15 or
// 30 seconds.
const patience = 3 * time.Minute

var (
	// it is the world that all tests of this package share.
	it *world.World

	// testCluster is a cluster with one control plane machine and three workers. Every test leaves it healthy.
	testCluster = client.ObjectKey{Namespace: "default", Name: "blue"}
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

// run is separate from TestMain because os.Exit skips deferred calls.
func run(m *testing.M) (code int) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	var err error
	if it, err = world.Start(ctx, world.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, "starting the world:", err)
		return 1
	}
	defer func() {
		if err := it.Stop(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "stopping the world:", err)
			code = 1
		}
	}()
	if err := it.CreateCluster(ctx, world.ClusterSpec{Namespace: testCluster.Namespace, Name: testCluster.Name, Workers: 3}); err != nil {
		fmt.Fprintln(os.Stderr, "creating the test cluster:", err)
		return 1
	}
	if err := it.WaitReady(ctx, testCluster); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
