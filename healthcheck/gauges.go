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
	conditionsDesc = prometheus.NewDesc("sickbay_conditions", "Objects by the status and reason that a condition has now, as it is stored.",
		[]string{"registration", "condition", "status", "reason"}, nil)
	oldestDesc = prometheus.NewDesc("sickbay_condition_oldest_transition_timestamp_seconds",
		"Unix time since when a condition has its status on the object that has had it for longest, of those with that reason.",
		[]string{"registration", "condition", "status", "reason"}, nil)
	conditionGauges = &gauges{of: map[*tally]string{}}

	_ prometheus.Collector = conditionGauges
)

// tallyConditions notes which conditions are stored on an object now. The first one adds the gauges. They go with the
// Reconciler, if no manager ends before: the gauges of a program must not keep in memory what nobody else does.
func (r *Reconciler[T]) tallyConditions(key client.ObjectKey, conditions []Condition) {
	r.addGauges.Do(func() {
		r.tally = &tally{}
		conditionGauges.add(r.tally, r.Name)
		runtime.AddCleanup(r, conditionGauges.remove, r.tally)
	})
	r.tally.note(key, conditions)
}

// removeGaugesAtEnd waits for the end of ctx, and then removes the gauges: nobody keeps them up to date any more.
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

// Collect implements prometheus.Collector. Registrations of one name, as there are in several managers, are counted together.
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
