package healthcheck

import (
	"context"
	"runtime"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// gauges collects the tallies of all Reconcilers that have looked at an object.
type gauges struct {
	mu sync.Mutex
	of map[*tally]string
}

var (
	conditionsDesc = prometheus.NewDesc("sickbay_conditions", "Objects by the stored status and reason of a condition.",
		[]string{"registration", "condition", "status", "reason"}, nil)
	oldestDesc = prometheus.NewDesc("sickbay_condition_oldest_transition_timestamp_seconds",
		"Unix time of the oldest transition among the objects with this condition, status and reason.",
		[]string{"registration", "condition", "status", "reason"}, nil)
	conditionGauges = &gauges{of: map[*tally]string{}}

	_ prometheus.Collector = conditionGauges
)

// tallyConditions records which conditions an object has now. The first call adds the gauges. If no manager removes them,
// they go when the Reconciler is collected: gauges must not keep it in memory.
func (r *Reconciler[T]) tallyConditions(key client.ObjectKey, conditions []Condition) {
	r.addGauges.Do(func() {
		r.tally = &tally{}
		conditionGauges.add(r.tally, r.Name)
		runtime.AddCleanup(r, conditionGauges.remove, r.tally)
	})
	r.tally.note(key, conditions)
}

// removeGaugesAtEnd waits for the end of ctx, and then removes the gauges, because nothing updates them any more.
func (r *Reconciler[T]) removeGaugesAtEnd(ctx context.Context) error {
	<-ctx.Done()
	r.addGauges.Do(func() { r.tally = &tally{} })
	conditionGauges.remove(r.tally)
	return nil
}

func (g *gauges) add(t *tally, registration string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.of[t] = strings.ToValidUTF8(registration, "?")
}

func (g *gauges) remove(t *tally) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.of, t)
}

// Describe implements prometheus.Collector.
func (*gauges) Describe(to chan<- *prometheus.Desc) {
	to <- conditionsDesc
	to <- oldestDesc
}

// Collect implements prometheus.Collector. It adds up registrations of the same name, which several managers may have.
func (g *gauges) Collect(to chan<- prometheus.Metric) {
	g.mu.Lock()
	defer g.mu.Unlock()
	sums := map[string]map[seriesKey]*series{}
	for t, registration := range g.of {
		if sums[registration] == nil {
			sums[registration] = map[seriesKey]*series{}
		}
		t.addTo(sums[registration])
	}
	for registration, sum := range sums {
		for key, one := range sum {
			labels := []string{registration, key.condition, key.status, key.reason}
			to <- prometheus.MustNewConstMetric(conditionsDesc, prometheus.GaugeValue, float64(one.objects), labels...)
			if one.oldest != 0 {
				to <- prometheus.MustNewConstMetric(oldestDesc, prometheus.GaugeValue, float64(one.oldest), labels...)
			}
		}
	}
}
