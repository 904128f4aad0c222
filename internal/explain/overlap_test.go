package explain_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// TestOverlapIsTold: that a health check leaves a machine to that of another controller is told on the page of the machine, and in status, also while
// all is well.
func TestOverlapIsTold(t *testing.T) {
	theirs, ours := explaintest.New(), explaintest.In("cluster", "spot")
	theirs.Healthy("m1")
	theirs.Healthy("m2")
	f := explaintest.Merge(theirs, ours)
	for _, c := range f.Checks {
		if c.MachineHealthCheck.Name == "spot" {
			c.Facts.Elsewhere = map[string][]string{"workers": {"m1"}}
		}
	}
	for machine, want := range map[string]string{"m1": "MachineHealthCheck spot selects it, too, but leaves it to the controller of workers", "m2": ""} {
		if got := rowText(f.Of("machine", machine)[0], "Overlap"); got != want {
			t.Errorf("%s: %q, want %q", machine, got, want)
		}
	}
	page := f.Fleet()
	want := "it does not judge all that it selects, because MachineHealthChecks of another controller select that, too: workers has m1. Hand those over, or change a selector"
	if len(page.NeedsYou) != 1 || page.NeedsYou[0].Name != "spot" || page.NeedsYou[0].Text != want {
		t.Errorf("status says %+v", page.NeedsYou)
	}
}

// TestSeveralAreTold: a machine's page is about the health check that repairs it, and names the others.
func TestSeveralAreTold(t *testing.T) {
	for name, tt := range map[string]struct {
		// hold is which of the two is on hold, and other which one's record says that it repairs the machine.
		hold, other string
		// begun reports whether a step of that record has begun.
		begun      bool
		check, row string
	}{
		"the oldest":                      {"", "", false, "a", "MachineHealthCheck b selects it, too, and leaves the repair to a"},
		"the oldest is on hold":           {"a", "", false, "b", "MachineHealthCheck a selects it, too, and is passed over: it is on hold"},
		"both are on hold":                {"both", "", false, "a", "MachineHealthCheck b selects it, too, and is passed over: it is on hold"},
		"the younger one repairs":         {"", "b", false, "b", "MachineHealthCheck a selects it, too, and leaves the repair to b"},
		"what has begun is on hold since": {"a", "a", true, "a", "MachineHealthCheck b selects it, too, and leaves the repair to a, which has begun it"},
	} {
		t.Run(name, func(t *testing.T) {
			older, younger := explaintest.In("cluster", "a"), explaintest.In("cluster", "b")
			m := older.Sick("m", time.Minute)
			f := explaintest.Merge(older, younger)
			one := f.Machines[0]
			one.Check, one.Checks = nil, f.Checks
			both := []*clusterv1.MachineHealthCheck{older.Check, younger.Check}
			for _, c := range f.Checks {
				c.Facts.Targets = []admission.Target{{Machine: m}}
				shared := &admission.Shared{Checks: both, Part: c.Facts.Targets[0].Verdict()}
				if tt.other != "" && c.MachineHealthCheck.Name != tt.other {
					shared.Other = tt.other
				}
				c.Facts.Targets[0].Shared = shared
				if tt.hold == "both" || tt.hold == c.MachineHealthCheck.Name {
					metav1.SetMetaDataAnnotation(&c.MachineHealthCheck.ObjectMeta, mhcspec.HoldUntilAnnotation, "2222-01-01T00:00:00Z")
				}
				c.Decision = admission.Decide(c.Facts, f.Now)
			}
			if tt.begun {
				r := older.Record(m, explaintest.Step("reboot", v1alpha1.ActionReboot, 1, time.Hour))
				r.Status.Attempts = []v1alpha1.RemediationAttempt{{Number: 1, Step: "reboot", BeganAt: new(metav1.NewTime(f.Now)), ObjectRef: &v1alpha1.RemediationObjectReference{}}}
				one.Record = &explain.Record{Record: r, Facts: ladder.Alone(r)}
			}
			one.Choose()
			if got := one.Check.MachineHealthCheck.Name; got != tt.check {
				t.Errorf("it is about %s, want %s", got, tt.check)
			}
			if got := rowText(f.Of("machine", "m")[0], "Overlap"); got != tt.row {
				t.Errorf("it says %q, want %q", got, tt.row)
			}
		})
	}
}
