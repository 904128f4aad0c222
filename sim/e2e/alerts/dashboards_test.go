package alerts_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/sickbay-dev/sickbay/sim/prometheus"
)

// dashboard is the part of a dashboard that the test uses.
type dashboard struct {
	Templating struct {
		List []struct {
			Name       string `json:"name"`
			Type       string `json:"type"`
			Definition string `json:"definition"`
		} `json:"list"`
	} `json:"templating"`
	Panels []struct {
		Title   string `json:"title"`
		Targets []struct {
			Expr string `json:"expr"`
		} `json:"targets"`
	} `json:"panels"`
}

// choice has a value for each variable.
type choice map[string]string

// fill replaces variables by their values.
func (c choice) fill(query string) string {
	return variable.ReplaceAllStringFunc(query, func(name string) string {
		if value, ok := c[name[1:]]; ok {
			return value
		}
		return name
	})
}

var variable = regexp.MustCompile(`\$\w+`)

// grafanas are the variables that Grafana itself defines. Everything in this test happens within these times.
var grafanas = choice{"__rate_interval": "10m", "__range": "10m"}

// dashboardsFind tries each query of each dashboard, which must return something for at least one choice of the variables.
func dashboardsFind(t *testing.T, p *prometheus.Process) {
	t.Helper()
	files, err := filepath.Glob("../../../charts/sickbay/files/grafana/*.json")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(files).NotTo(BeEmpty())
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			g := patiently(t)
			data, err := os.ReadFile(file)
			g.Expect(err).NotTo(HaveOccurred())
			var d dashboard
			g.Expect(json.Unmarshal(data, &d)).To(Succeed())
			queries := 0
			for _, panel := range d.Panels {
				for _, target := range panel.Targets {
					queries++
					g.Eventually(func() (string, error) { return find(t, p, d, target.Expr) }).ShouldNot(BeEmpty(), "panel %q: %s", panel.Title, target.Expr)
				}
			}
			t.Logf("%d queries, each with an answer", queries)
		})
	}
}

// find returns the first choice for which a query returns something.
func find(t *testing.T, p *prometheus.Process, d dashboard, query string) (string, error) {
	t.Helper()
	choices, err := offered(t, p, d)
	if err != nil {
		return "", err
	}
	for _, c := range choices {
		series, err := p.Query(t.Context(), c.fill(query))
		if err != nil {
			return "", err
		}
		if len(series) > 0 {
			return fmt.Sprint(c), nil
		}
	}
	return "", nil
}

// labelValues matches the query of a variable.
var labelValues = regexp.MustCompile(`^label_values\((.*), (\w+)\)$`)

// offered returns all choices of a dashboard's variables, which it resolves one after the other, as Grafana does.
func offered(t *testing.T, p *prometheus.Process, d dashboard) ([]choice, error) {
	t.Helper()
	choices := []choice{grafanas}
	for _, v := range d.Templating.List {
		if v.Type != "query" {
			continue
		}
		asks := labelValues.FindStringSubmatch(v.Definition)
		if asks == nil {
			return nil, fmt.Errorf("variable %s asks %q", v.Name, v.Definition)
		}
		var more []choice
		for _, c := range choices {
			values, err := valuesOf(t, p, c.fill(asks[1]), asks[2])
			if err != nil {
				return nil, err
			}
			for _, value := range values {
				more = append(more, c.with(v.Name, value))
			}
		}
		choices = more
	}
	return choices, nil
}

// valuesOf returns the values of a label, or .* if there are none, which is Grafana's value for all.
func valuesOf(t *testing.T, p *prometheus.Process, selector, label string) ([]string, error) {
	t.Helper()
	series, err := p.Query(t.Context(), "count by ("+label+") ("+selector+")")
	values := []string{".*"}
	for _, s := range series {
		values = append(values, s.Metric[label])
	}
	return values, err
}

// with returns a choice with one more value.
func (c choice) with(name, value string) choice {
	made := maps.Clone(c)
	made[name] = value
	return made
}
