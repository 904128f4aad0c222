package machinehealth

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/utils/clock"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// selfHosted is a clustercache whose one workload cluster is the management cluster itself.
type selfHosted struct {
	clustercache.ClusterCache

	mgr  ctrl.Manager
	live client.Client
}

// GetReader implements clustercache.ClusterCache.
func (s selfHosted) GetReader(context.Context, client.ObjectKey) (client.Reader, error) {
	return s.mgr.GetClient(), nil
}

// GetUncachedClient implements clustercache.ClusterCache.
func (s selfHosted) GetUncachedClient(context.Context, client.ObjectKey) (client.Client, error) {
	return s.live, nil
}

// Watch implements clustercache.ClusterCache.
func (s selfHosted) Watch(_ context.Context, _ client.ObjectKey, watcher clustercache.Watcher) error {
	return watcher.Watch(s.mgr.GetCache())
}

// TestNodeEvents: a Node that comes, breaks and goes changes the verdict each time.
func TestNodeEvents(t *testing.T) {
	g := NewWithT(t)
	f := newHarness(t)
	name := f.machine.Namespace + "-node"
	stored := f.machine.DeepCopy()
	build.NodeRef(name)(stored)
	g.Expect(f.env.Client.Status().Update(t.Context(), stored)).To(Succeed())
	f.manageSelfHosted()
	reason := func() string { return f.reason() }

	g.Eventually(reason, patience).Should(Equal(verdict.ReasonNodeNotFound))

	node := build.Node(name)
	build.Create(t.Context(), t, f.env.Client, node)
	g.Eventually(reason, patience).Should(BeEmpty(), "the Node has come")

	broken := build.Node(name, build.NodeReady("False", build.Epoch))
	node.Status = broken.Status
	g.Expect(f.env.Client.Status().Update(t.Context(), node)).To(Succeed())
	g.Eventually(reason, patience).Should(Equal(verdict.ReasonNodeConditionsNotYet), "the Node, which has just come, is broken")

	f.delete(node)
	g.Eventually(reason, patience).Should(Equal(verdict.ReasonNodeNotFound), "the Node has gone")
}

// manageSelfHosted runs the Reconciler with a connection to a workload cluster.
func (f *harness) manageSelfHosted() {
	f.t.Helper()
	f.env.Manager(f.t, env.ManagerOptions{Namespaces: []string{f.machine.Namespace}, Setup: func(mgr ctrl.Manager) error {
		if err := mhcspec.AddIndexes(f.t.Context(), mgr.GetFieldIndexer()); err != nil {
			return err
		}
		clusters := &workload.Clusters{
			Cache:   selfHosted{clustercache.NewFakeEmptyClusterCache(), mgr, f.env.Client},
			Secrets: mgr.GetClient(), Clock: clock.RealClock{}, Started: time.Now(),
		}
		r := &Reconciler{Observer: &Observer{Nodes: clusters, GracePeriod: time.Minute}, Clusters: clusters, Recorder: f.events}
		return r.AddToManager(mgr)
	}})
}
