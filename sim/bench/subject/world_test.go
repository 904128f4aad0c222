package subject

import (
	"context"
	"io"
	"os"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// TestSubjects starts the subjects of this package in a very small world.
func TestSubjects(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	f, err := fleet.Start(ctx, result.Fleet{Clusters: 2, Machines: 2}, "100%", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		// An API server that stops waits for its watches.
		cancel()
		if err := f.World.Stop(context.WithoutCancel(ctx)); err != nil {
			t.Error(err)
		}
	}()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, err := Runner{Bench: self, Log: io.Discard}.Beside(ctx, f.World, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Run("floor", func(t *testing.T) { testFloor(ctx, t, r, f) })
	t.Run("upstream", func(t *testing.T) { testUpstream(ctx, t, r, f) })
	t.Run("nobody", func(t *testing.T) {
		if err := Main(ctx, []string{"--kubeconfig=" + r.kubeconfig, "--subject=nobody"}); err == nil {
			t.Error("nobody was started")
		}
	})
}

// testFloor: the floor reads the management cluster and both workload clusters, and writes nothing.
func testFloor(ctx context.Context, t *testing.T, r *Runner, f *fleet.Fleet) {
	t.Helper()
	p := startedIn(ctx, t, r, result.Floor)
	u := usageOf(ctx, t, p)
	if n := len(hostsOf(ctx, t, p)); n != 3 {
		t.Errorf("it asks %d API servers", n)
	}
	if u.Writes() != 0 || u.CPU <= 0 {
		t.Errorf("%v writes in %s", u.Writes(), u.CPU)
	}
	if resident, err := Resident(p.PID()); err != nil || resident < 10<<20 || resident > 4<<30 {
		t.Errorf("%v bytes are resident, %v", resident, err)
	}
	// It watches, so it decodes changes without a request.
	for range 100 {
		if err := f.Beat(ctx, f.Machines[0]); err != nil {
			t.Fatal(err)
		}
	}
	beaten := usageOf(ctx, t, p).Since(u)
	if beaten.Requests["GET"] != 0 || beaten.Allocated < 100<<10 {
		t.Errorf("after 100 heartbeats: %v, %v bytes", beaten.Requests, beaten.Allocated)
	}
}

// testUpstream: upstream judges all machines.
func testUpstream(ctx context.Context, t *testing.T, r *Runner, f *fleet.Fleet) {
	t.Helper()
	observer, err := f.Observe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	p := startedIn(ctx, t, r, result.Upstream)
	if _, err := observer.Times(ctx, f.Machines, fleet.Healthy); err != nil {
		t.Fatal(err)
	}
	if n := len(hostsOf(ctx, t, p)); n != 3 {
		t.Errorf("it asks %d API servers", n)
	}
	if u := usageOf(ctx, t, p); u.Writes() < float64(len(f.Machines)) {
		t.Errorf("%v writes for %d verdicts", u.Writes(), len(f.Machines))
	}
}

func startedIn(ctx context.Context, t *testing.T, r *Runner, s result.Subject) *Process {
	t.Helper()
	p, err := r.Start(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Kill() })
	return p
}

func usageOf(ctx context.Context, t *testing.T, p *Process) Usage {
	t.Helper()
	u, err := p.Usage(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// hostsOf returns the API servers that a process has sent requests to.
func hostsOf(ctx context.Context, t *testing.T, p *Process) map[string]bool {
	t.Helper()
	families, err := p.Metrics(ctx)
	if err != nil {
		t.Fatal(err)
	}
	hosts := map[string]bool{}
	for _, m := range families["rest_client_requests_total"].GetMetric() {
		hosts[label(m, "host")] = true
	}
	return hosts
}
