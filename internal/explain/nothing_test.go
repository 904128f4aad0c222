package explain_test

import (
	"strings"
	"testing"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestWatchesNothing: a MachineHealthCheck without machines is not called open: its page and status say that it selects none, and what is one letter away.
func TestWatchesNothing(t *testing.T) {
	pool := func(name, value string, options ...build.MachineOption) *explain.Machine {
		return &explain.Machine{Machine: build.Machine("default", name, append(options, build.Label("pool", value))...)}
	}
	skipped := build.Annotation(clusterv1.MachineSkipRemediationAnnotation, "")
	for name, tt := range map[string]struct {
		machines  []*explain.Machine
		elsewhere map[string][]string
		want      string
	}{
		"a letter is missing": {[]*explain.Machine{pool("m1", "workers"), pool("m2", "workers")}, nil, "selects no machine: none has pool=worker, but 2 have pool=workers"},
		"nothing is near":     {[]*explain.Machine{pool("m1", "storage")}, nil, "selects no machine: none has pool=worker"},
		"no machines":         {nil, nil, "selects no machine: Cluster cluster has none"},
		"of another cluster":  {[]*explain.Machine{pool("m1", "worker", build.InCluster("other"))}, nil, "selects no machine: Cluster cluster has none"},
		"they are left alone": {
			[]*explain.Machine{pool("m1", "worker", skipped)}, nil,
			"watches no machine: what it selects is left alone, by the annotation cluster.x-k8s.io/paused or cluster.x-k8s.io/skip-remediation",
		},
		"they are another's": {
			[]*explain.Machine{pool("m1", "worker")}, map[string][]string{"older": {"m1"}},
			"watches no machine: another controller has what it selects, or it is left alone",
		},
	} {
		mhc := build.MachineHealthCheck("default", "workers", build.Selector(map[string]string{"pool": "worker"}))
		facts := admission.Facts{MachineHealthCheck: mhc, Cluster: build.Cluster("default", build.ClusterName), Elsewhere: tt.elsewhere}
		check := &explain.Check{MachineHealthCheck: mhc, Facts: facts, Decision: admission.Decide(facts, explaintest.Noon)}
		if check.Nothing = check.SelectsNothing(tt.machines); check.Nothing != tt.want {
			t.Errorf("%s: %q, want %q", name, check.Nothing, tt.want)
		}
		f := &explain.Facts{Now: explaintest.Noon, Machines: tt.machines, Checks: []*explain.Check{check}}
		page := f.CheckPage(check)
		_, why, _ := strings.Cut(tt.want, ":")
		if !strings.HasSuffix(page.Headline, " NO MACHINE:"+why) || rowText(page, "Gate") != "" {
			t.Errorf("%s: the page says %q, and of its gate %q", name, page.Headline, rowText(page, "Gate"))
		}
		if got := f.Fleet().Checks[0].Gate; got != tt.want {
			t.Errorf("%s: status says %q", name, got)
		}
	}
}
