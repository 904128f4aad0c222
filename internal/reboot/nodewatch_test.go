package reboot

import (
	"context"
	"errors"
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// TestRequeueAfter: the controller polls the Node only if no event announces what it waits for.
func TestRequeueAfter(t *testing.T) {
	watched := func(context.Context, client.ObjectKey) error { return nil }
	cutOff := func(context.Context, client.ObjectKey) error { return errors.New("no connection") }
	tests := map[string]struct {
		phase     v1alpha1.Phase
		isolation v1alpha1.Isolation
		watch     func(context.Context, client.ObjectKey) error
		recheck   time.Duration
		want      time.Duration
	}{
		"nothing to do with the Node":     {phase: v1alpha1.PoweringOff, watch: cutOff, want: time.Hour},
		"a deadline":                      {phase: v1alpha1.PoweringOff, recheck: time.Minute, want: time.Minute},
		"a deadline that has just passed": {phase: v1alpha1.PoweringOff, recheck: -time.Minute, want: time.Millisecond},
		"the Node, watched":               {phase: v1alpha1.WaitingForNode, watch: watched, want: time.Hour},
		"the Node, watched, a deadline":   {phase: v1alpha1.WaitingForNode, watch: watched, recheck: time.Minute, want: time.Minute},
		"the Node, cut off":               {phase: v1alpha1.WaitingForNode, watch: cutOff, want: lookForNode},
		"the Node, not watched":           {phase: v1alpha1.WaitingForNode, want: lookForNode},
		"the Node, a deadline before":     {phase: v1alpha1.WaitingForNode, recheck: time.Second, want: time.Second},
		"a boot that nobody announces":    {phase: v1alpha1.WaitingForNode, isolation: v1alpha1.OutOfServiceTaint, watch: watched, want: lookForNode},
		"Pods and volumes":                {phase: v1alpha1.Isolating, isolation: v1alpha1.OutOfServiceTaint, watch: watched, want: lookForNode},
		"a cluster that cannot be read":   {phase: v1alpha1.Fenced, watch: watched, want: lookForNode},
		"owed after the end, watched":     {phase: v1alpha1.Failed, watch: watched, want: time.Hour},
		"owed after the end, cut off":     {phase: v1alpha1.Failed, watch: cutOff, want: lookForOwed},
		"owed after the end, not watched": {phase: v1alpha1.Failed, want: lookForOwed},
		"a taint after the end":           {phase: v1alpha1.Failed, isolation: v1alpha1.OutOfServiceTaint, watch: watched, want: lookForOwed},
		"not Ready yet":                   {phase: v1alpha1.Restoring, watch: watched, want: lookForNode},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := &Reconciler{SyncPeriod: time.Hour, Clock: testingclock.NewFakePassiveClock(noon.Time), watchNodes: tt.watch}
			request := &v1alpha1.RebootRemediation{}
			request.Spec.Isolation, request.Status.Phase = tt.isolation, tt.phase
			request.Status.Node = &v1alpha1.NodeRecord{OutOfService: tt.phase.Ended()}
			decision := cycle.Decision{Status: request.Status}
			if tt.recheck != 0 {
				decision.RecheckAt = noon.Add(tt.recheck)
			}
			if got := r.requeueAfter(t.Context(), observed{request: request, machine: &machine{}}, decision); got != tt.want {
				t.Errorf("it is looked at again after %s, want %s", got, tt.want)
			}
		})
	}
}

// selfHosted is a clustercache whose one workload cluster is the management cluster itself.
type selfHosted struct {
	clustercache.ClusterCache

	mgr  ctrl.Manager
	live client.Client
}

// GetUncachedClient implements clustercache.ClusterCache.
func (s selfHosted) GetUncachedClient(context.Context, client.ObjectKey) (client.Client, error) {
	return s.live, nil
}

// Watch implements clustercache.ClusterCache.
func (s selfHosted) Watch(_ context.Context, _ client.ObjectKey, watcher clustercache.Watcher) error {
	return watcher.Watch(s.mgr.GetCache())
}

// TestNodeWakesUp: a Node that comes back ends a cycle. Nothing else would before the sync period, which is an hour.
func TestNodeWakesUp(t *testing.T) {
	h := newHarness(t)
	e, ns, request := h.e, h.ns, h.waiting()
	e.Manager(t, env.ManagerOptions{Namespaces: []string{ns}, Setup: func(mgr ctrl.Manager) error {
		clusters := &workload.Clusters{
			Cache:   selfHosted{clustercache.NewFakeEmptyClusterCache(), mgr, e.Client},
			Secrets: mgr.GetClient(), Clock: clock.RealClock{}, Started: time.Now(),
		}
		r := &Reconciler{Kind: ClusterAPIKind, Workload: clusters, Clusters: clusters, Recorder: &events.FakeRecorder{}, SyncPeriod: time.Hour, Concurrency: 8}
		if err := r.AddToManager(mgr); err != nil {
			return err
		}
		if r.watchNodes == nil || r.places.Most != 2 {
			t.Errorf("Nodes are not watched, or %d workers may be busy with one workload cluster", r.places.Most)
		}
		return nil
	}})
	if err := (&Reconciler{}).wakeByNodes(nil); err != nil {
		t.Errorf("without workload clusters: %v", err)
	}
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(time.Minute)
	reread := func() *v1alpha1.RebootRemediation {
		g.Expect(e.Client.Get(t.Context(), client.ObjectKeyFromObject(request), request)).To(Succeed())
		return request
	}
	g.Eventually(func() v1alpha1.Phase { return reread().Status.Phase }).Should(Equal(v1alpha1.WaitingForNode))

	node := build.Node(request.Status.Node.Name)
	build.Create(t.Context(), t, e.Client, node)
	g.Eventually(func() v1alpha1.Phase { return reread().Status.Phase }).Should(Equal(v1alpha1.Succeeded))
	g.Eventually(func() []string { return reread().Finalizers }).Should(BeEmpty())
}

// waiting stores a RebootRemediation that waits for its Node, which is gone.
func (h *harness) waiting() *v1alpha1.RebootRemediation {
	h.Helper()
	machine := reread(h.T, h.e, build.Machine(h.ns, "m"))
	host := reread(h.T, h.e, &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: h.ns, Name: "m"}})
	objects.Delete(h, h.e.Client, build.Node(h.node("m")))
	request := cycleOf(h.ns, "m", v1alpha1.MachineReference{APIGroup: ClusterAPIKind.Group, Name: "m"})
	request.Status, request.Finalizers = in(v1alpha1.WaitingForNode).Status, []string{cycle.Finalizer}
	request.Status.MachineUID, request.Status.Host.Name, request.Status.Host.UID = machine.UID, "m", host.UID
	request.Status.Node.Name = h.node("m")
	for _, at := range []*time.Time{&request.Status.LastPoweredOn.Time, &request.Status.PowerOnReleasedAt.Time} {
		*at = time.Now().Truncate(time.Second)
	}
	build.Create(h.Context(), h.T, h.e.Client, request)
	return request
}

// TestFinalizerOfOneThatIsGone: a RebootRemediation may be gone right after its finalizer was removed, before the
// cache shows that.
func TestFinalizerOfOneThatIsGone(t *testing.T) {
	e := env.Get(t)
	w := writer{Client: e.Client}
	gone := &v1alpha1.RebootRemediation{}
	gone.Namespace, gone.Name = e.Namespace(t), "gone"
	build.Create(t.Context(), t, e.Client, gone)
	objects.Delete(t, e.Client, gone.DeepCopy())
	gone.Finalizers = []string{cycle.Finalizer}
	if err := w.setFinalizers(t.Context(), gone); err != nil {
		t.Errorf("removing it: %v", err)
	}
	if err := w.setFinalizers(t.Context(), gone, cycle.Finalizer, cycle.NodeFinalizer); err == nil {
		t.Error("it was added to what is not there")
	}
}
