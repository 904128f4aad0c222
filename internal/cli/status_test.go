package cli

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/lease/leaseflags"
	"github.com/sickbay-dev/sickbay/internal/lease/scope"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// atOnce does not wait for the workload cluster, which does not exist.
const atOnce = "--connect-timeout=1ns"

// sickFleet has a healthy machine, one that waits for approval, and a sick one without a record.
func sickFleet(t *testing.T) *shell {
	t.Helper()
	s := newShell(t)
	s.machine("metal-1", judgedAs(metav1.ConditionTrue))
	s.admit(s.machine("metal-2"), replace, ask)
	s.machine("metal-3", build.Label("rack", "r7"))
	return s
}

// TestStatus runs without a manager.
func TestStatus(t *testing.T) {
	t.Parallel()
	s := sickFleet(t)
	got := s.run("status", atOnce)
	for _, want := range []string{
		"1 cluster, 3 machines: 1 healthy, 2 sick\n", "Manager: Unknown, since there is no lease sickbay-manager; --adopt=all is assumed",
		"NEEDS YOU\n  fleet/metal-2  approve or deny replace: " + sickness, "WAITING\n  fleet/metal-3  about to be repaired",
		"fleet/metal-3  goes into repair: replace", "fleet/workers  3         1        2",
	} {
		if got.code != exitOK || !strings.Contains(s.scrub(got.stdout), want) {
			t.Errorf("exit code %d, it does not say %q:\n%s%s", got.code, want, s.scrub(got.stdout), got.stderr)
		}
	}
	build.Create(t.Context(), t, s.c, build.MachineHealthCheck(s.ns, "typo", build.InCluster("blue"), build.Selector(map[string]string{"rack": "r8"})))
	if got := s.run("status", atOnce); !strings.Contains(s.scrub(got.stdout), "selects no machine: none has rack=r8, but 1 has rack=r7") {
		t.Errorf("of a health check that selects nothing it says:\n%s", got.stdout)
	}
	wide := s.run("status", atOnce, "-o", "name", "-l", "rack=r7")
	if wide.stdout != "machine.cluster.x-k8s.io/metal-3\n" {
		t.Errorf("the machines of the rack are %q", wide.stdout)
	}
}

// TestFlagsOfTheManager: as soon as the manager's lease says so, status does not report repairs that the manager leaves to others. Not
// parallel: all tests share the lease.
func TestFlagsOfTheManager(t *testing.T) {
	s := sickFleet(t)
	const assumed, repaired = "--adopt=all is assumed", "about to be repaired"
	if got := s.run("explain", "metal-3", atOnce).stdout; !strings.Contains(got, assumed) || !strings.Contains(got, repaired) {
		t.Errorf("without a lease it says:\n%s", got)
	}
	if got := s.run("explain", "metal-3", atOnce, "--adopt=all").stdout; strings.Contains(got, assumed) || !strings.Contains(got, repaired) {
		t.Errorf("with the flag it says:\n%s", got)
	}
	beside := leaseflags.Flags{Policy: mhcspec.Policy{Adopt: mhcspec.AdoptHandedOver}, GracePeriod: time.Minute}
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: scope.DefaultLease, Labels: beside.Labels()}}
	build.Create(t.Context(), t, s.c, lease)
	t.Cleanup(func() {
		if err := s.c.Delete(context.Background(), lease); err != nil {
			t.Error(err)
		}
	})
	if got := s.run("explain", "metal-3", atOnce).stdout; strings.Contains(got, assumed) || strings.Contains(got, repaired) {
		t.Errorf("beside another controller it says:\n%s", got)
	}
	if got := s.run("approve", "metal-2", "--dry-run"); got.code != exitFailure || !strings.Contains(got.stderr, "is no longer managed by Sickbay") {
		t.Errorf("approve ends with %d:\n%s", got.code, got.stderr)
	}
}

// TestNothingThere: for an empty namespace, status must not say that all is well.
func TestNothingThere(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.ns = "nowhere"
	if got := s.run("status", atOnce).stdout; !strings.HasPrefix(got, "There are no clusters and no machines in namespace nowhere (-A looks at all)\nManager: ") {
		t.Errorf("of an empty namespace it says %q", got)
	}
	if got := s.run("history", "--stats", "--since=3h").stdout; s.scrub(got) != "There are no repairs on record in namespace fleet (-A looks at all) that were admitted within the last 3h\n" {
		t.Errorf("the sum of no repairs is %q", got)
	}
}

// TestStatusForPrograms: JSON and YAML have the same fields and figures.
func TestStatusForPrograms(t *testing.T) {
	t.Parallel()
	s := sickFleet(t)
	var asJSON, asYAML explain.Fleet
	if err := json.Unmarshal([]byte(s.run("status", atOnce, "-o", "json").stdout), &asJSON); err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict([]byte(s.run("status", atOnce, "-o", "yaml").stdout), &asYAML); err != nil {
		t.Fatal(err)
	}
	for _, got := range []explain.Fleet{asJSON, asYAML} {
		if got.APIVersion != explain.APIVersion || got.Kind != "Fleet" || got.Machines != 3 || got.States[explain.StateHealthy] != 1 || len(got.NeedsYou) != 1 {
			t.Errorf("it is %+v", got)
		}
	}
}

// TestExplain: there is a page for each kind that a person can name.
func TestExplain(t *testing.T) {
	t.Parallel()
	s := sickFleet(t)
	for what, want := range map[string]string{
		"metal-1":         "metal-1: HEALTHY since",
		"machine/metal-3": "about to be repaired",
		// As status -o name prints it.
		"machine.cluster.x-k8s.io/metal-3": "about to be repaired",
		"node/metal-2":                     "waiting for approval",
		"mhc/workers":                      "workers: OPEN; 3 machines: 1 healthy, 2 sick, 0 undecided",
		"cluster/blue":                     "blue: 3 machines: 1 healthy, 2 sick",
	} {
		if got := s.run("explain", what, atOnce); got.code != exitOK || !strings.Contains(firstLine(got.stdout), want) {
			t.Errorf("%s: exit code %d, said %s%s", what, got.code, got.stdout, got.stderr)
		}
	}
	s.says(s.run("explain", "metal-9", atOnce), exitFailure, "there is no machine metal-9 in namespace fleet (-A looks at all)")
	s.says(s.run("explain", "mteal-1", atOnce), exitFailure, "there is no machine mteal-1 in namespace fleet (-A looks at all); did you mean metal-1?")
	s.says(s.run("explain", "mhc/worker", atOnce), exitFailure, "there is no MachineHealthCheck worker in namespace fleet (-A looks at all); did you mean mhc/workers?")
	s.says(s.run("explain", "pod/metal-1", atOnce), exitUsage, `"pod/metal-1": the kind must be one of machine, node, host, mhc, mr, cluster; if pod is its namespace, write metal-1 -n pod`)
	s.says(s.run("explain", "mhc/", atOnce), exitUsage, `"mhc/": it must be KIND/NAME or NAME`)
	s.says(s.run("explain", "workers", atOnce), exitFailure, "there is no machine workers in namespace fleet (-A looks at all), but there is mhc/workers")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// TestLookWithoutRights says which right is missing.
func TestLookWithoutRights(t *testing.T) {
	t.Parallel()
	s := sickFleet(t)
	s.may("bob", rule("cluster.x-k8s.io", "clusters", "list", "watch"))
	got := s.run("status", atOnce, "--as", "bob")
	if got.code != exitFailure || s.scrub(got.stderr) != "sickbay: you may not list the Machines of namespace fleet. The ClusterRole sickbay-dashboard permits it\n" {
		t.Errorf("exit code %d, said %s", got.code, got.stderr)
	}
}

// TestHistoryOnTheAPIServer: history lists the records, as text and for programs.
func TestHistoryOnTheAPIServer(t *testing.T) {
	t.Parallel()
	s := sickFleet(t)
	got := s.run("history")
	if got.code != exitOK || !strings.Contains(got.stdout, "/metal-2  NodeReadyUnknown") || !strings.Contains(got.stdout, "Pending") {
		t.Errorf("exit code %d, said %s%s", got.code, got.stdout, got.stderr)
	}
	if got := s.run("history", "--stats"); !strings.HasPrefix(got.stdout, "1 repair, 1 of them open\n") {
		t.Errorf("sums it up as %s", got.stdout)
	}
	if got := s.run("history", "-l", "no=such"); s.scrub(got.stdout) != "There are no repairs on record in namespace fleet (-A looks at all)\n" {
		t.Errorf("says %s", got.stdout)
	}
	s.says(s.run("history", "-l", "=="), exitUsage, `--selector is "==": found '==', expected: !, identifier, or 'end of string'`)
}
