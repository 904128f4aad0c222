package metrics

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
)

// Gauge is a metric whose series are computed when it is read.
type Gauge struct {
	Name, Help string
	Labels     []string

	desc *prometheus.Desc
}

// gauges are all gauges of the program.
var gauges struct {
	sync.Mutex
	all []*Gauge
}

// NewGauge makes a gauge for a package variable: its name must be unique in the program.
func NewGauge(name, help string, labels ...string) *Gauge {
	g := &Gauge{Name: name, Help: help, Labels: labels, desc: prometheus.NewDesc(name, help, labels, nil)}
	gauges.Lock()
	defer gauges.Unlock()
	gauges.all = append(gauges.all, g)
	return g
}

// Gauges returns all gauges of the program.
func Gauges() []*Gauge {
	gauges.Lock()
	defer gauges.Unlock()
	return slices.Clone(gauges.all)
}

// Samples are the series of one reading. The zero value has none.
type Samples struct {
	series map[*Gauge]map[string]*series
}

type series struct {
	labels []string
	value  float64
}

// Set gives a series its value.
func (s *Samples) Set(g *Gauge, value float64, labels ...string) { s.at(g, labels).value = value }

// SetTime sets a series to a time. The zero time makes no series.
func (s *Samples) SetTime(g *Gauge, at time.Time, labels ...string) {
	if !at.IsZero() {
		s.Set(g, seconds(at), labels...)
	}
}

// Add adds to a series, which starts at 0.
func (s *Samples) Add(g *Gauge, n float64, labels ...string) { s.at(g, labels).value += n }

// Earliest sets a series to a time, unless it has an earlier one. The zero time makes no series.
func (s *Samples) Earliest(g *Gauge, at time.Time, labels ...string) {
	if at.IsZero() {
		return
	}
	if one := s.at(g, labels); one.value == 0 || seconds(at) < one.value {
		one.value = seconds(at)
	}
}

// Get returns the value of a series, and whether it exists.
func (s *Samples) Get(g *Gauge, labels ...string) (value float64, there bool) {
	if one := s.series[g][keyOf(labels)]; one != nil {
		return one.value, true
	}
	return 0, false
}

// String returns a sorted line for each series, in Prometheus' format.
func (s *Samples) String() string {
	var lines []string
	for g, all := range s.series {
		for _, one := range all {
			var pairs []string
			for i, label := range one.labels {
				pairs = append(pairs, fmt.Sprintf("%s=%q", g.Labels[i], label))
			}
			lines = append(lines, fmt.Sprintf("%s{%s} %.15g\n", g.Name, strings.Join(pairs, ","), one.value))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func (s *Samples) at(g *Gauge, labels []string) *series {
	if s.series == nil {
		s.series = map[*Gauge]map[string]*series{}
	}
	if s.series[g] == nil {
		s.series[g] = map[string]*series{}
	}
	labels = text(labels)
	key := keyOf(labels)
	one := s.series[g][key]
	if one == nil {
		one = &series{labels: labels}
		s.series[g][key] = one
	}
	return one
}

// merge adds the series that do not exist yet: if two sources set the same series, the first wins.
func (s *Samples) merge(other *Samples) {
	for g, all := range other.series {
		for key, one := range all {
			if s.series[g][key] == nil {
				s.Set(g, one.value, one.labels...)
			}
		}
	}
}

func (s *Samples) write(to chan<- prometheus.Metric) {
	for g, all := range s.series {
		for _, one := range all {
			to <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, one.value, one.labels...)
		}
	}
}

// text replaces invalid UTF-8, which would make all metrics unreadable.
func text(labels []string) []string {
	if !slices.ContainsFunc(labels, func(label string) bool { return !utf8.ValidString(label) }) {
		return labels
	}
	labels = slices.Clone(labels)
	for i := range labels {
		labels[i] = strings.ToValidUTF8(labels[i], "?")
	}
	return labels
}

// keyOf joins labels. Names of objects have no zero byte.
func keyOf(labels []string) string { return strings.Join(labels, "\x00") }

func seconds(at time.Time) float64 { return float64(at.UnixMilli()) / 1000 }

func init() { ctrlmetrics.Registry.MustRegister(&live) }

// Bool returns the value of a gauge that says yes or no.
func Bool(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
