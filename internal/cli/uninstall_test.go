package cli

import (
	"context"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/lease/scope"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestUninstall: while something is left, it says what, and for whom it waits. When the manager has taken everything back, it says so. It removes
// what people have written only if they want that.
func TestUninstall(t *testing.T) {
	s := newShell(t)
	s.lease("manager-0", true)
	machine := s.machine("metal-3", build.Annotation("sickbay.dev/hold-until", "2026-11-23T08:00:00Z"))
	r := s.admit(machine, replace)
	if err := remedy.Mark(t.Context(), s.c, machine, fellSick); err != nil {
		t.Fatal(err)
	}
	s.golden("uninstall-dry-run", s.run("uninstall", "--dry-run"), exitOK)
	s.golden("uninstall-left", s.run("uninstall", "--timeout=100ms"), exitFailure)

	if err := remedy.WithdrawMark(t.Context(), s.c, machine); err != nil {
		t.Fatal(err)
	}
	s.change(r, func() { r.Finalizers = nil })
	s.golden("uninstall", s.run("uninstall"), exitOK)
	s.says(s.run("uninstall", "--annotations"), exitUsage, "cannot ask for confirmation, because standard input is not a terminal: use --yes to write without asking, or --dry-run to see what would be written")
	s.golden("uninstall-annotations", s.run("uninstall", "--annotations", "--yes"), exitOK)
	if err := s.c.Get(t.Context(), client.ObjectKeyFromObject(machine), machine); err != nil || machine.Annotations["sickbay.dev/hold-until"] != "" {
		t.Errorf("the hold is there: %v %v", machine.Annotations, err)
	}
	s.stored(r) // as history
}

// TestUninstallWarnsOfWhatStaysHandedOver: nobody repairs the machines of a MachineHealthCheck that stays handed over.
func TestUninstallWarnsOfWhatStaysHandedOver(t *testing.T) {
	s := newShell(t)
	s.change(s.mhc, func() { s.mhc.Annotations = map[string]string{clusterv1.PausedAnnotation: mhcspec.HandedOverValue} })
	want := "1 MachineHealthCheck stays handed over, and without Sickbay nobody repairs the machines: "
	if got := s.run("uninstall", "--dry-run"); got.code != exitOK || !strings.HasSuffix(got.stdout, "Nothing that Sickbay has written is left\n") {
		t.Errorf("--dry-run ends with %d: %s%s", got.code, got.stdout, got.stderr)
	}
	if got := s.run("uninstall"); got.code != exitOK || !strings.Contains(got.stderr, want) {
		t.Errorf("it ends with %d: %s%s", got.code, got.stdout, got.stderr)
	}
	if got := s.run("uninstall", "--annotations", "--yes"); got.code != exitOK || strings.Contains(got.stderr, "handed over") {
		t.Errorf("with --annotations, it ends with %d: %s%s", got.code, got.stdout, got.stderr)
	}
}

// TestUninstallAsks: without a yes, nothing is removed.
func TestUninstallAsks(t *testing.T) {
	s := newShell(t)
	machine := s.machine("metal-3", build.Annotation("sickbay.dev/hold-until", "2026-11-23T08:00:00Z"))
	person := s.terminal()
	go typed(t, person, "n")
	if got := s.run("uninstall", "--annotations"); got.code != exitFailure {
		t.Errorf("exit code is %d: %s", got.code, got.stderr)
	}
	if err := s.c.Get(t.Context(), client.ObjectKeyFromObject(machine), machine); err != nil || machine.Annotations["sickbay.dev/hold-until"] == "" {
		t.Errorf("the hold is gone: %v", err)
	}
}

// TestUninstallSaysWhatIsMissing: it needs a manager that drains. It says what it may not read, and does not take that for nothing.
func TestUninstallSaysWhatIsMissing(t *testing.T) {
	s := newShell(t)
	r := s.admit(s.machine("metal-3"), replace)
	s.may("jo", rule("sickbay.dev", "*", "*"), rule("cluster.x-k8s.io", "*", "*"))
	for name, want := range map[string]string{"jo": "You may not read leases, so it is unknown whether a manager takes this back\n", "": "No manager leads, so nobody takes this back. "} {
		got := s.run("uninstall", "--timeout=100ms", "--as", name)
		if got.code != exitFailure || !strings.Contains(got.stderr, want) {
			t.Errorf("%q reads, with %d: %s", name, got.code, got.stderr)
		}
	}
	s.change(r, func() { r.Finalizers = nil })
	if got := s.run("uninstall", "--as", "jo"); got.code != exitFailure || !strings.Contains(got.stdout, "is left on the objects that could be read") {
		t.Errorf("what could not be read must not end well: %s%s", got.stdout, got.stderr)
	}
	if got := s.run("uninstall"); got.code != exitOK || !strings.Contains(got.stderr, "No manager has a lease") {
		t.Errorf("with nothing left, it ends with %d: %s", got.code, got.stderr)
	}
	s.lease("manager-0", false)
	const leads = "manager-0 (lease fleet/sickbay-manager) leads, and does not drain, so it would write everything again. "
	if got := s.run("uninstall", "--timeout=100ms"); got.code != exitFailure || !strings.HasPrefix(s.scrub(got.stderr), leads) {
		t.Errorf("while a manager leads, it ends with %d: %s", got.code, got.stderr)
	}
}

// lease creates the lease of a manager for the time of the test.
func (s *shell) lease(holder string, drains bool) {
	s.t.Helper()
	labels := scope.Scope{Controllers: []string{"remediation"}, Drain: drains}.Labels([]string{"remediation"})
	lease := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: scope.DefaultLease, Labels: labels},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: new(holder), LeaseDurationSeconds: new(int32(600)), RenewTime: new(metav1.NewMicroTime(time.Now())),
		},
	}
	build.Create(s.t.Context(), s.t, s.c, lease)
	s.t.Cleanup(func() { _ = s.c.Delete(context.WithoutCancel(s.t.Context()), lease) })
}
