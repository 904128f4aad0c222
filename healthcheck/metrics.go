package healthcheck

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// The metrics of all registrations of a program, in the registry of controller-runtime.
// None has a label for the object: there may be too many.
var (
	checkSeconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "sickbay_check_duration_seconds", Help: "Duration of a check, including its wait for a free slot.",
		Buckets: prometheus.ExponentialBuckets(0.001, 4, 8),
	}, []string{"registration", "condition", "check"})
	checkResults = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sickbay_check_results_total", Help: "Results of checks, by status.",
	}, []string{"registration", "condition", "check", "status"})
	transitionsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sickbay_condition_transitions_total", Help: "Changes of a condition's status; the status of a missing condition is empty.",
	}, []string{"registration", "condition", "from", "to"})
	overwrittenTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sickbay_conditions_overwritten_total", Help: "Conditions that somebody else overwrote after the engine wrote them, by field manager.",
	}, []string{"registration", "condition", "writer"})
)

func init() {
	metrics.Registry.MustRegister(checkSeconds, checkResults, transitionsTotal, overwrittenTotal, conditionGauges)
}

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

// tally holds the stored conditions of the objects of one Reconciler. Each run of an object replaces its entry. The zero
// value is ready; it is safe for concurrent use.
type tally struct {
	mu      sync.Mutex
	objects map[client.ObjectKey][]tallied
	series  map[seriesKey]*series
}

// seriesKey identifies a series.
type seriesKey struct{ condition, status, reason string }

// series counts the objects that have one condition with the same status and reason.
type series struct {
	seriesKey
	objects int
	// oldest is the earliest since of these objects. Each scrape computes it again; zero means unknown.
	oldest int64
}

// tallied is one condition of one object, counted in a series. Since is a Unix time; zero means unknown.
type tallied struct {
	*series
	since int64
}

// note replaces the conditions of an object; without conditions, the object is removed. It allocates nothing if they are
// the same.
func (t *tally) note(key client.ObjectKey, conditions []Condition) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.objects[key]
	if slices.EqualFunc(before, conditions, tallied.is) {
		return
	}
	after := make([]tallied, len(conditions))
	for i, c := range conditions {
		after[i] = t.count(c)
	}
	for _, s := range before {
		if s.objects--; s.objects == 0 {
			delete(t.series, s.seriesKey)
		}
	}
	if len(after) == 0 {
		delete(t.objects, key)
		return
	}
	if t.objects == nil {
		t.objects = map[client.ObjectKey][]tallied{}
	}
	t.objects[key] = after
}

func (s tallied) is(c Condition) bool {
	return s.condition == c.Type && s.status == string(c.Status) && s.reason == c.Reason && s.since == unix(c.LastTransitionTime)
}

// count counts a condition. The caller holds the lock.
func (t *tally) count(c Condition) tallied {
	key := seriesKey{c.Type, string(c.Status), c.Reason}
	one := t.series[key]
	if one == nil {
		if t.series == nil {
			t.series = map[seriesKey]*series{}
		}
		one = &series{seriesKey: key}
		t.series[key] = one
	}
	one.objects++
	return tallied{one, unix(c.LastTransitionTime)}
}

func unix(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.Unix()
}

// addTo adds each series to sums.
func (t *tally) addTo(sums map[seriesKey]*series) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, one := range t.series {
		one.oldest = 0
	}
	for _, conditions := range t.objects {
		for _, s := range conditions {
			s.oldest = earlier(s.oldest, s.since)
		}
	}
	for key, one := range t.series {
		// A single label that is not UTF-8 would make the whole scrape fail.
		key = seriesKey{strings.ToValidUTF8(key.condition, "?"), strings.ToValidUTF8(key.status, "?"), strings.ToValidUTF8(key.reason, "?")}
		if sums[key] == nil {
			sums[key] = &series{}
		}
		sums[key].objects += one.objects
		sums[key].oldest = earlier(sums[key].oldest, one.oldest)
	}
}

// earlier returns the earlier of two Unix times, where zero means unknown.
func earlier(a, b int64) int64 { return cmp.Or(min(a, b), a, b) }
