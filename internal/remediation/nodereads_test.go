package remediation

import (
	"context"
	"errors"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
)

// TestNodeReads: one workload cluster has so many workers at most, and keeps none from another one.
func TestNodeReads(t *testing.T) {
	n := nodeReads{most: 2}
	a, b := client.ObjectKey{Name: "a"}, client.ObjectKey{Name: "b"}
	release, inside, done := make(chan struct{}), make(chan struct{}), make(chan error, 2)
	for range 2 {
		go func() {
			_, err := n.read(t.Context(), a, func(ctx context.Context) (machinehealth.Facts, error) {
				if _, bounded := ctx.Deadline(); !bounded {
					t.Error("a read may take any time")
				}
				inside <- struct{}{}
				<-release
				return machinehealth.Facts{}, nil
			})
			done <- err
		}()
		<-inside
	}
	quick := func(context.Context) (machinehealth.Facts, error) { return machinehealth.Facts{}, nil }
	if _, err := n.read(t.Context(), a, quick); !errors.Is(err, errBusy) || !n.busy(a) {
		t.Errorf("a third one: %v, busy %t", err, n.busy(a))
	}
	if _, err := n.read(t.Context(), b, quick); err != nil || n.busy(b) {
		t.Errorf("of another cluster: %v, busy %t", err, n.busy(b))
	}
	close(release)
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if _, err := n.read(t.Context(), a, quick); err != nil || len(n.reading) > 0 {
		t.Errorf("afterwards: %v, reading %v", err, n.reading)
	}
}

// TestBusyClusterIsLookedAtAgain soon, and without reading anything past the caches.
func TestBusyClusterIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	record := f.admit(f.sick("a"))
	f.Reconciler.nodes.most = 1
	f.Reconciler.nodes.enter(f.clusterKey())
	if after := f.reconcile(record); after != busyRetry {
		t.Errorf("looks again after %s", after)
	}
	f.wantStanding()
	f.Reconciler.nodes.leave(f.clusterKey())
	f.reconcile(record)
	f.wantStanding("a: mark")
}
