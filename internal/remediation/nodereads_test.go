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
	t.Parallel()
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
	if _, err := n.read(t.Context(), a, quick); !errors.Is(err, errBusy) {
		t.Errorf("a third one: %v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := n.read(stopped, a, quick); !errors.Is(err, context.Canceled) {
		t.Errorf("when the manager stops: %v", err)
	}
	if _, err := n.read(t.Context(), b, quick); err != nil {
		t.Errorf("of another cluster: %v", err)
	}
	waits := make(chan error)
	go func() {
		_, err := n.read(t.Context(), a, quick)
		waits <- err
	}()
	close(release)
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if err := <-waits; err != nil && !errors.Is(err, errBusy) {
		t.Errorf("one that waits for a place: %v", err)
	}
	if _, err := n.read(t.Context(), a, quick); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	n.forget(a)
	if len(n.places) != 1 {
		t.Errorf("%d clusters are known", len(n.places))
	}
}

// TestBusyClusterIsLookedAtAgain soon.
func TestBusyClusterIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	record := f.admit(f.sick("a"))
	f.Reconciler.nodes.most = 1
	leave, err := f.Reconciler.nodes.enter(t.Context(), f.clusterKey())
	if err != nil {
		t.Fatal(err)
	}
	if after := f.reconcile(record); after != busyRetry {
		t.Errorf("looks again after %s", after)
	}
	f.wantStanding()
	leave()
	f.reconcile(record)
	f.wantStanding("a: mark")
}
