package e2e_test

import (
	"context"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

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
