package metrics

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// Source computes series. It is safe for concurrent use, and reads only caches and its own memory.
type Source func(ctx context.Context, s *Samples)

// readTimeout bounds one reading. Reading caches takes milliseconds; caches that are not filled yet block for ever.
const readTimeout = 5 * time.Second

// collector reads all sources of the program.
type collector struct {
	mu      sync.Mutex
	sources []*Source
}

var live collector

// Attach adds a source until detach is called.
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

// Describe implements prometheus.Collector. It describes no gauges, since they are made after the collector is registered.
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

// AddWhileLeading attaches a source while its manager leads: if two managers showed the same series, they would count twice. The name is for
// the error.
func AddWhileLeading(mgr manager.Manager, name string, source Source) error {
	if err := mgr.Add(manager.RunnableFunc(source.attach)); err != nil {
		return fmt.Errorf("adding the metrics of %s: %w", name, err)
	}
	return nil
}

// Always attaches a source while its manager runs, leading or not.
func Always(source Source) manager.Runnable { return scaffold.Everywhere(source.attach) }

// attach attaches a source until ctx ends.
func (s Source) attach(ctx context.Context) error {
	defer Attach(s)()
	<-ctx.Done()
	return nil
}
