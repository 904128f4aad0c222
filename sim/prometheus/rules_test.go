package prometheus_test

import (
	"flag"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/sim/prometheus"
)

var binaries = flag.String("prometheus", "", "directory of prometheus and promtool; without it the rules are not evaluated")

// TestRules runs the unit tests of the rules: promtool evaluates them on test series.
func TestRules(t *testing.T) {
	if *binaries == "" {
		t.Skip("make test-operate builds promtool")
	}
	for _, args := range [][]string{{"check", "rules", "--lint=all", "--lint-fatal", "charts/sickbay/files/prometheus/alerts.yaml"}, {"test", "rules", "config/prometheus/alerts_test.yaml"}} {
		cmd := exec.Command(filepath.Join(*binaries, "promtool"), args...)
		cmd.Dir = "../.."
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %q: %v\n%s", args, err, out)
		}
	}
}

func TestShorten(t *testing.T) {
	for long, want := range map[string]string{
		"for: 15m":                    "for: 2000ms",
		"for: 1d":                     "for: 24000ms",
		"keep_firing_for: 10m":        "keep_firing_for: 2000ms",
		"rate(x[1h]) > 10":            "rate(x[30000ms]) > 10",
		"x offset 1h":                 "x offset 30000ms",
		"x offset 7d":                 "x offset 168000ms",
		"time() - x > 24 * 3600":      "time() - x > 24",
		"time() - x > 15 * 60 or y":   "time() - x > 2 or y",
		"summary: for 15m, within 1h": "summary: for 15m, within 1h",
		"x == 1 and y > 3":            "x == 1 and y > 3",
	} {
		if diff := cmp.Diff(want, string(prometheus.Shorten([]byte(long)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", long, diff)
		}
	}
}
