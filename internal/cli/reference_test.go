package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestReference . -update

const referenceFile = "../../docs/reference.md"

// TestReferenceFlags renders the flags of the manager, also those that its help hides.
func TestReferenceFlags(t *testing.T) {
	table := [][]string{{"flag", "default", "meaning"}}
	cmd := newManager()
	cmd.InitDefaultHelpFlag()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if f.Hidden {
			name += " (hidden)"
		}
		if f.Deprecated != "" {
			name += " (deprecated)"
		}
		// A list is printed in brackets, which cannot be typed.
		table = append(table, []string{docs.Code(name), docs.Code(strings.Trim(f.DefValue, "[]")), f.Usage})
	})
	docs.Section(t, referenceFile, "flags", docs.Table(table...))
}

// description takes apart what a metric says about itself; there is no other way to ask it.
var description = regexp.MustCompile(`fqName: "([^"]*)", help: "([^"]*)", .*variableLabels: \{([^}]*)\}`)

// TestReferenceMetrics renders the metrics of all packages that the manager is made of.
func TestReferenceMetrics(t *testing.T) {
	registry, ok := metrics.Registry.(prometheus.Collector)
	if !ok {
		t.Fatal("the registry of controller-runtime cannot be asked what is in it")
	}
	described := make(chan *prometheus.Desc)
	go func() {
		defer close(described)
		registry.Describe(described)
	}()
	var rows [][]string
	for one := range described {
		parts := description.FindStringSubmatch(one.String())
		if parts == nil || !strings.HasPrefix(parts[1], "sickbay_") {
			continue
		}
		rows = append(rows, []string{docs.Code(parts[1]), metricType(parts[1]), strings.ReplaceAll(parts[3], ",", ", "), parts[2]})
	}
	if len(rows) == 0 {
		t.Fatal("there are no metrics of Sickbay")
	}
	slices.SortFunc(rows, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	docs.Section(t, referenceFile, "metrics", docs.Table(append([][]string{{"metric", "type", "labels", "meaning"}}, rows...)...))
}

// metricType goes by the name; the linter sees to it that names are as Prometheus wants them.
func metricType(name string) string {
	switch {
	case strings.HasSuffix(name, "_total"):
		return "counter"
	case strings.HasSuffix(name, "_seconds") && !strings.HasSuffix(name, "_timestamp_seconds"):
		return "histogram"
	}
	return "gauge"
}
