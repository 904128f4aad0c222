package remediation

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/fakenodes"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// slowNodes answer when they are released.
type slowNodes struct {
	fakenodes.Nodes
	inside, release chan struct{}
}

func (s *slowNodes) GetLive(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		return nil, errors.New("a read may take any time")
	}
	s.inside <- struct{}{}
	<-s.release
	return s.Nodes.GetLive(ctx, cluster, name)
}

// TestNodeReads: one workload cluster has so many workers at most, and keeps none from another one.
func TestNodeReads(t *testing.T) {
	t.Parallel()
	reads := &workload.Places{Most: 2}
	a, b := client.ObjectKey{Name: "a"}, client.ObjectKey{Name: "b"}
	slow := &slowNodes{inside: make(chan struct{}), release: make(chan struct{})}
	slow.Put(a, build.Node("n"))
	slow.Put(b, build.Node("n"))
	nodes, done := boundedNodes{slow, reads}, make(chan error, 2)
	read := func(ctx context.Context, cluster client.ObjectKey) {
		_, err := nodes.GetLive(ctx, cluster, "n")
		done <- err
	}
	for range 2 {
		go read(t.Context(), a)
		<-slow.inside
	}
	if _, err := nodes.GetLive(t.Context(), a, "n"); !errors.Is(err, workload.ErrNoPlace) {
		t.Errorf("a third one: %v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := nodes.GetLive(stopped, a, "n"); !errors.Is(err, context.Canceled) {
		t.Errorf("when the manager stops: %v", err)
	}
	go read(t.Context(), b)
	<-slow.inside
	close(slow.release)
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	go read(t.Context(), a)
	<-slow.inside
	if err := <-done; err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestBusyClusterIsLookedAtAgain soon. A worker that gets no place in a workload cluster reads nothing past the caches.
func TestBusyClusterIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	record := f.admit(f.sick("a"))
	reads := &counting{Reader: f.env.Client}
	f.Live = reads
	f.Reconciler.nodes.Most = 1
	leave, err := f.Reconciler.nodes.Enter(t.Context(), f.clusterKey())
	if err != nil {
		t.Fatal(err)
	}
	if after := f.reconcile(record); after != busyRetry {
		t.Errorf("looks again after %s", after)
	}
	if read := reads.sorted(); len(read) > 0 {
		t.Errorf("live reads while others read the Nodes: %q", read)
	}
	f.wantStanding()
	leave()
	f.reconcile(record)
	f.wantStanding("a: mark")
}

// TestNobodyActsOnABusyCluster: while somebody else waits for a workload cluster nothing is decided about its records, which are looked at again soon.
func TestNobodyActsOnABusyCluster(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	record := f.admit(f.sick("a"))
	f.nodes.Busy(f.clusterKey(), true)
	if after := f.reconcile(record); after <= 0 || after > time.Second {
		t.Errorf("looks again after %s", after)
	}
	f.wantStanding()
	f.nodes.Busy(f.clusterKey(), false)
	f.reconcile(record)
	f.wantStanding("a: mark")
}
