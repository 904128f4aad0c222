package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/intake"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
	"github.com/sickbay-dev/sickbay/sim/e2e"
)

// split is a Sickbay that runs each controller in its own process, with its own ServiceAccount.
type split struct {
	processes []*e2e.Sickbay
	metrics   []*scraper
}

func newSplit(t *testing.T, namespace string, args ...string) *split {
	t.Helper()
	s := &split{}
	for _, controller := range app.Controllers() {
		if controller == intake.ControllerName {
			// It does not run without those that carry out what it takes in, and nothing in these stories asks it.
			continue
		}
		metrics := newScraper(t, "reads-"+controller)
		s.metrics = append(s.metrics, metrics)
		own := []string{"--controllers=" + controller, "--metrics-bind-address=" + metrics.address}
		if controller == upgradepause.ControllerName {
			// It cannot know that another Sickbay process handles the machines.
			own = append(own, "--upgrade-settle-timeout=0")
		}
		s.processes = append(s.processes, harness.Sickbay(t, namespace, slices.Concat(args, own)...))
	}
	return s
}

// scrape returns the samples of all processes whose names have a prefix. Duplicates count once.
func (s *split) scrape(t *testing.T, prefix string) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for _, metrics := range s.metrics {
		for name, value := range metrics.scrape(t, prefix) {
			all[name] = max(all[name], value)
		}
	}
	return all
}

// log returns the logs of all processes.
func (s *split) log() string {
	var all strings.Builder
	for _, process := range s.processes {
		all.WriteString(process.Log.String())
	}
	return all.String()
}
