package explain_test

import (
	"testing"

	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
)

// TestOverlapIsTold: that a younger health check does not judge a machine is told on the page of the machine, and in status, also while all is well.
func TestOverlapIsTold(t *testing.T) {
	older, younger := explaintest.New(), explaintest.In("cluster", "spot")
	older.Healthy("m1")
	older.Healthy("m2")
	f := explaintest.Merge(older, younger)
	for _, c := range f.Checks {
		if c.MachineHealthCheck.Name == "spot" {
			c.Facts.Elsewhere = map[string][]string{"workers": {"m1"}}
		}
	}
	for machine, want := range map[string]string{"m1": "MachineHealthCheck spot selects it, too, but does not judge it: workers is older", "m2": ""} {
		if got := rowText(f.Of("machine", machine)[0], "Overlap"); got != want {
			t.Errorf("%s: %q, want %q", machine, got, want)
		}
	}
	page := f.Fleet()
	want := "it does not judge all that it selects, because older MachineHealthChecks select that, too: workers manages m1. Change a selector, or put its conditions into the older one"
	if len(page.NeedsYou) != 1 || page.NeedsYou[0].Name != "spot" || page.NeedsYou[0].Text != want {
		t.Errorf("status says %+v", page.NeedsYou)
	}
}
