package metrics

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// Source computes series. It is safe for concurrent use, and reads no more than caches and its own memory.
type Source func(ctx context.Context, s *Samples)

// readTimeout bounds one reading. What is in the caches takes milliseconds; caches that are not filled yet take for ever.
const readTimeout = 5 * time.Second

// collector reads all sources of the program.
type collector struct {
	mu      sync.Mutex
	sources []*Source
}

var live collector

// Attach has a source read until detach is called.
func Attach(source Source) (detach func()) {
	live.mu.Lock()
	defer live.mu.Unlock()
	live.sources = append(live.sources, &source)
	return func() {
		live.mu.Lock()
		defer live.mu.Unlock()
		live.sources = slices.DeleteFunc(live.sources, func(s *Source) bool { return s == &source })
	}
}

// Describe implements prometheus.Collector. The gauges are made after it is registered, so it promises none.
func (c *collector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	c.mu.Lock()
	sources := slices.Clone(c.sources)
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	var all Samples
	for _, source := range sources {
		var one Samples
		(*source)(ctx, &one)
		all.merge(&one)
	}
	all.write(to)
}

// whileLeading attaches a source to a manager.
type whileLeading struct{ source Source }

// WhileLeading has a source read as long as the manager that it is added to leads: two that show the same would count twice.
func WhileLeading(source Source) manager.Runnable { return whileLeading{source} }

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (whileLeading) NeedLeaderElection() bool { return true }

// Start implements manager.Runnable.
func (w whileLeading) Start(ctx context.Context) error {
	defer Attach(w.source)()
	<-ctx.Done()
	return nil
}

// always attaches a source for as long as its manager runs.
type always struct{ whileLeading }

// Always has a source read as long as the manager that it is added to runs, leading or not.
func Always(source Source) manager.Runnable { return always{whileLeading{source}} }

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (always) NeedLeaderElection() bool { return false }
