package e2e_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// TestNothingRemains: a manager that has stopped holds no connection to a workload cluster. That does not matter if
// its process ends, but it does if the manager is part of another program. The test is not parallel, because it
// counts connections.
func TestNothingRemains(t *testing.T) {
	g := newTest(t)
	spec := world.ClusterSpec{Namespace: "remains", Name: "remains", Workers: 1}
	harness.Cluster(t, spec)
	mhc := healthCheck(spec.Key(), workers(spec.Key()))
	g.Expect(harness.World.Client().Create(t.Context(), mhc)).To(Succeed())
	before := remoteCaches()

	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- runManager(ctx, spec.Namespace, harness.World.Config()) }()
	g.Eventually(func(g Gomega) { settled(t, g, mhc, 1) }).Should(Succeed())
	g.Expect(remoteCaches()).To(Equal(before + 1))
	stop()
	g.Expect(<-ended).To(Succeed())
	g.Eventually(remoteCaches).Should(Equal(before))
}

// remoteCaches counts the caches of workload clusters in this process, including the world's own.
func remoteCaches() int {
	return strings.Count(stacks(), "created by sigs.k8s.io/cluster-api/controllers/clustercache.createCachedClient")
}

// runManager runs a manager for one namespace in this process until ctx ends.
func runManager(ctx context.Context, namespace string, config *rest.Config) error {
	o := app.DefaultOptions()
	o.Namespace = namespace
	o.HealthProbeBindAddress, o.MetricsBindAddress = "0", "0"
	o.SkipNameValidation = true
	o.RemoteConditionsGracePeriod = 5 * time.Second
	manager, err := app.New(ctx, config, o)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- manager.Run(ctx) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(stopTime):
		return fmt.Errorf("the manager has not stopped %s after it was told to\n%s", stopTime, stacks())
	}
}

// stopTime is how long a manager may take to stop. It waits for nothing, but the machine may be busy.
const stopTime = 30 * time.Second

func stacks() string {
	all := make([]byte, 64<<20)
	return string(all[:runtime.Stack(all, true)])
}
