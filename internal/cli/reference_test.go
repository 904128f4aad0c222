package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/spf13/pflag"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sickbay-dev/sickbay/internal/metrics"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestReference . -update

const (
	referenceFile = "../../docs/reference.md"
	metricsFile   = "../../docs/reference/metrics.md"
)

// TestReferenceFlags renders the flags of the manager.
func TestReferenceFlags(t *testing.T) {
	table := [][]string{{"flag", "default", "meaning"}}
	cmd := newManager()
	cmd.InitDefaultHelpFlag()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if f.Deprecated != "" {
			name += " (deprecated)"
		}
		// Lists are printed in brackets, which cannot be typed.
		table = append(table, []string{docs.Code(name), docs.Code(strings.Trim(f.DefValue, "[]")), f.Usage})
	})
	docs.Section(t, referenceFile, "flags", docs.Table(table...))
}

// description parses the printed description of a metric; the client library offers no other access to it.
var description = regexp.MustCompile(`fqName: "([^"]*)", help: "([^"]*)", .*variableLabels: \{([^}]*)\}`)

// metric is a parsed description.
type metric struct{ help, labels string }

// ours returns the metrics of all packages of the manager, by name.
func ours(t *testing.T) map[string]metric {
	t.Helper()
	registry, ok := ctrlmetrics.Registry.(prometheus.Collector)
	if !ok {
		t.Fatal("the registry of controller-runtime cannot be asked what is in it")
	}
	described := make(chan *prometheus.Desc)
	go func() {
		defer close(described)
		registry.Describe(described)
	}()
	all := map[string]metric{}
	for one := range described {
		if parts := description.FindStringSubmatch(one.String()); parts != nil && strings.HasPrefix(parts[1], "sickbay_") {
			all[parts[1]] = metric{parts[2], strings.ReplaceAll(parts[3], ",", ", ")}
		}
	}
	for _, gauge := range metrics.Gauges() {
		if _, twice := all[gauge.Name]; twice {
			t.Errorf("%s is there twice", gauge.Name)
		}
		all[gauge.Name] = metric{gauge.Help, strings.Join(gauge.Labels, ", ")}
	}
	return all
}

// TestReferenceMetrics renders the metrics. The catalog has exactly these.
func TestReferenceMetrics(t *testing.T) {
	all := ours(t)
	rows := [][]string{{"metric", "labels", "meaning", "series", "a query"}}
	for _, entry := range metrics.Catalog {
		one, there := all[entry.Name]
		if !there {
			t.Errorf("%s is in the catalog, and there is no such metric", entry.Name)
		}
		delete(all, entry.Name)
		rows = append(rows, []string{docs.Code(entry.Name), one.labels, one.help, entry.Series, docs.Code(entry.Query)})
	}
	for name := range all {
		t.Errorf("%s is not in the catalog", name)
	}
	if !slices.IsSortedFunc(metrics.Catalog, func(a, b metrics.Entry) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the catalog is not sorted by name")
	}
	docs.Section(t, metricsFile, "metrics", docs.Table(rows...))
}

// TestNamesOfMetrics: names, units and types follow Prometheus' conventions, also for metrics without series.
func TestNamesOfMetrics(t *testing.T) {
	types := map[string]dto.MetricType{
		metrics.Counter: dto.MetricType_COUNTER, metrics.GaugeType: dto.MetricType_GAUGE, metrics.Histogram: dto.MetricType_HISTOGRAM,
	}
	all := ours(t)
	var families []*dto.MetricFamily
	for _, entry := range metrics.Catalog {
		one := &dto.Metric{}
		for label := range strings.SplitSeq(all[entry.Name].labels, ", ") {
			if label != "" {
				one.Label = append(one.Label, &dto.LabelPair{Name: &label, Value: new("x")})
			}
		}
		families = append(families, &dto.MetricFamily{Name: &entry.Name, Help: new(all[entry.Name].help), Type: new(types[entry.Type]), Metric: []*dto.Metric{one}})
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}
}
