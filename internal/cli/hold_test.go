package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
	"github.com/sickbay-dev/sickbay/internal/useractions"
)

// holdOf returns the annotations of a hold on an object.
func (s *shell) holdOf(object client.Object) [2]string {
	s.t.Helper()
	if err := s.c.Get(s.t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		s.t.Fatal(err)
	}
	a := object.GetAnnotations()
	return [2]string{a[mhcspec.HoldUntilAnnotation], a[mhcspec.HoldReasonAnnotation]}
}

// holdAt runs hold or release at a time that does not change.
func (s *shell) holdAt(now time.Time, args ...string) ran {
	s.t.Helper()
	var stdout, stderr bytes.Buffer
	root := &cobra.Command{Use: "sickbay"}
	clock := testingclock.NewFakePassiveClock(now)
	root.AddCommand((&holdCommand{writing: writing{clock: clock}}).hold(), (&holdCommand{writing: writing{clock: clock}, releases: true}).release())
	code := execute(s.t.Context(), root, append(args, "--kubeconfig", s.kubeconfig, "-n", s.ns), &stdout, &stderr)
	return ran{code, stdout.String(), stderr.String()}
}

var (
	// evening is when holds are set in the tests, and morning is when they end.
	evening = time.Date(2026, 11, 22, 20, 30, 0, 0, time.UTC)
	morning = "2026-11-23T08:00:00Z"
	farAway = "2126-11-23T08:00:00Z"
)

// TestHold: each kind can be put on hold and released, by a user with no rights but these.
func TestHold(t *testing.T) {
	s := newShell(t)
	machine := s.machine("metal-3", build.Annotation("keep", "this"))
	s.rebooting(s.admit(machine, reboot, replace))
	s.may("alice", rule("cluster.x-k8s.io", "*", "get", "patch"), rule("sickbay.dev", "machineremediations", "list"))
	for name, object := range map[string]client.Object{"machine/metal-3": machine, "mhc/workers": s.mhc, "cluster/blue": s.cluster} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			file := strings.Replace(name, "/", "-", 1)
			hold := []string{"hold", name, "--until=2026-11-23T09:00:00+01:00", "--reason=its disk is being replaced", "--as=alice"}
			if got := s.holdAt(evening, append(hold, "--dry-run")...); got.code != exitOK || s.holdOf(object) != [2]string{} {
				t.Errorf("--dry-run ends with %d, and the hold is %q: %s", got.code, s.holdOf(object), got.stderr)
			}
			s.golden("hold-"+file, s.holdAt(evening, append(hold, "--yes")...), exitOK)
			if diff := cmp.Diff([2]string{morning, "its disk is being replaced (by alice)"}, s.holdOf(object)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			s.golden("hold-again-"+file, s.holdAt(evening, "hold", name, "--for=2h", "--yes"), exitOK)
			s.golden("release-"+file, s.holdAt(evening, "release", name, "--as=alice", "--yes"), exitOK)
			if s.holdOf(object) != [2]string{} {
				t.Errorf("the hold is %q", s.holdOf(object))
			}
			s.golden("release-again-"+file, s.holdAt(evening, "release", name, "--as=alice", "--yes"), exitOK)
		})
	}
	s.t = t
	s.holdOf(machine)
	if machine.Annotations["keep"] != "this" {
		t.Errorf("other annotations are gone: %v", machine.Annotations)
	}
}

// TestHoldFor counts from now, in whole seconds, and never ends too early.
func TestHoldFor(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 1, time.UTC)
	h := &holdCommand{writing: writing{clock: testingclock.NewFakePassiveClock(now)}, span: 90 * time.Minute}
	got, err := h.holdUntil()
	if want := time.Date(2026, 11, 22, 13, 30, 1, 0, time.UTC); err != nil || !got.Equal(want) {
		t.Errorf("until %s, %v, want %s", got, err, want)
	}
}

// TestHoldForms: programs get what was written.
func TestHoldForms(t *testing.T) {
	s := newShell(t)
	s.machine("metal-3")
	got := s.run("hold", "metal-3", "--for=1h", "--yes", "-o=json")
	printed := &clusterv1.Machine{}
	if err := json.Unmarshal([]byte(got.stdout), printed); err != nil {
		t.Fatalf("%v: %s%s", err, got.stdout, got.stderr)
	}
	if printed.Kind != "Machine" || printed.APIVersion != clusterv1.GroupVersion.String() || printed.Annotations[mhcspec.HoldUntilAnnotation] == "" || printed.ManagedFields != nil {
		t.Errorf("printed %s", got.stdout)
	}
	if got := s.run("release", "metal-3", "--yes", "-o=name"); got.stdout != "machine.cluster.x-k8s.io/metal-3\n" {
		t.Errorf("printed %q, %s", got.stdout, got.stderr)
	}
}

// TestHoldRefused: one line says why.
func TestHoldRefused(t *testing.T) {
	s := newShell(t)
	s.machine("metal-3")
	s.may("bob", rule("cluster.x-k8s.io", "machines", "get"))
	tests := map[string]struct {
		args []string
		code int
		want string
	}{
		"no name":           {[]string{"hold", "--for=1h"}, exitUsage, "the target is missing: give it as NAME or KIND/NAME; the kind is one of machine, mhc, cluster"},
		"a record":          {[]string{"hold", "mr/metal-3", "--for=1h"}, exitUsage, `"mr/metal-3": the kind must be one of machine, mhc, cluster`},
		"no time":           {[]string{"hold", "metal-3"}, exitUsage, "give --for or --until"},
		"two times":         {[]string{"hold", "metal-3", "--for=1h", "--until=" + farAway}, exitUsage, "give only one of --for and --until"},
		"no duration":       {[]string{"hold", "metal-3", "--for=soon"}, exitUsage, `invalid argument "soon" for "--for" flag: it must be a duration such as 45m, 2h or 3d`},
		"negative":          {[]string{"hold", "metal-3", "--for=-1h"}, exitUsage, "--for is -1h0m0s: it must be greater than 0"},
		"no time at all":    {[]string{"hold", "metal-3", "--until=tomorrow"}, exitUsage, `--until is "tomorrow": it must be a time like 2006-01-02T15:04:05Z`},
		"over":              {[]string{"hold", "metal-3", "--until=2020-01-01T00:00:00Z"}, exitUsage, "--until is 2020-01-01T00:00:00Z: it must be in the future"},
		"no year":           {[]string{"hold", "metal-3", "--until=9999-12-31T23:59:59-23:59"}, exitUsage, "--until is 9999-12-31T23:59:59-23:59: the year must be at most 9999"},
		"no such machine":   {[]string{"hold", "metal-9", "--for=1h"}, exitFailure, "there is no machine/metal-9 in namespace fleet"},
		"no such cluster":   {[]string{"release", "cluster/green"}, exitFailure, "there is no cluster/green in namespace fleet"},
		"may not patch":     {[]string{"hold", "metal-3", "--for=1h", "--as=bob"}, exitFailure, `machines.cluster.x-k8s.io "metal-3" is forbidden: User "bob" cannot patch resource "machines" in API group "cluster.x-k8s.io" in the namespace "fleet"`},
		"may not even look": {[]string{"hold", "cluster/blue", "--for=1h", "--as=bob"}, exitFailure, `clusters.cluster.x-k8s.io "blue" is forbidden: User "bob" cannot get resource "clusters" in API group "cluster.x-k8s.io" in the namespace "fleet"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s.t = t
			s.says(s.run(append(tt.args, "--yes")...), tt.code, tt.want)
		})
	}
}

// TestHoldAsks: it asks before it writes. A change by somebody else in the meantime matters only if it is to the hold.
func TestHoldAsks(t *testing.T) {
	tests := map[string]struct {
		meanwhile func(*shell, *clusterv1.Machine)
		code      int
		held      bool
		want      string
	}{
		"yes":                {func(*shell, *clusterv1.Machine) {}, exitOK, true, ""},
		"somebody labels it": {func(s *shell, m *clusterv1.Machine) { s.change(m, func() { m.Labels["other"] = "label" }) }, exitOK, true, ""},
		"somebody holds it": {func(s *shell, m *clusterv1.Machine) {
			s.change(m, func() { m.Annotations = map[string]string{mhcspec.HoldUntilAnnotation: farAway} })
		}, exitFailure, true, "machine/metal-3 has changed since it was shown, so nothing was written: try again"},
		"it is another one": {func(s *shell, m *clusterv1.Machine) {
			if err := s.c.Delete(s.t.Context(), m); err != nil {
				s.t.Error(err)
			}
			s.machine("metal-3")
		}, exitFailure, false, "machine/metal-3 has changed since it was shown, so nothing was written: try again"},
		"it is gone": {func(s *shell, m *clusterv1.Machine) {
			if err := s.c.Delete(s.t.Context(), m); err != nil {
				s.t.Error(err)
			}
		}, exitFailure, false, "there is no machine/metal-3 in namespace fleet"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newShell(t)
			machine := s.machine("metal-3")
			person := s.terminal()
			got := s.runInto(&reader{asked: func() {
				tt.meanwhile(s, machine)
				typed(t, person, "y")
			}}, "hold", "metal-3", "--for=1h")
			if got.code != tt.code || !strings.Contains(s.scrub(got.stderr), tt.want) {
				t.Errorf("exit code is %d: %s", got.code, got.stderr)
			}
			all := objects.List(t, s.c, &clusterv1.MachineList{}, s.ns)
			for _, m := range all.Items {
				if why, _ := mhcspec.OnHold(metav1.Now().Time, &m); (why != "") != tt.held {
					t.Errorf("on hold: %q", why)
				}
			}
		})
	}
}

// change writes an object.
func (s *shell) change(object client.Object, change func()) {
	s.t.Helper()
	change()
	if err := s.c.Update(s.t.Context(), object); err != nil {
		s.t.Error(err)
	}
}

// TestHoldWithoutRecords: a hold works even if records cannot be read or their kind is not installed.
func TestHoldWithoutRecords(t *testing.T) {
	s := newShell(t)
	s.machine("metal-3")
	s.may("alice", rule("cluster.x-k8s.io", "machines", "get", "patch"))
	if got := s.run("hold", "metal-3", "--for=1h", "--as=alice", "--yes"); got.code != exitOK || !strings.Contains(got.stdout, "Not seen   you may not read MachineRemediations") {
		t.Errorf("exit code is %d: %s%s", got.code, got.stdout, got.stderr)
	}
	without := env.Get(t).Intercept(t, interceptor.Funcs{List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
		return &meta.NoKindMatchError{}
	}})
	person := &useractions.Person{Client: without, Clock: testingclock.NewFakePassiveClock(evening)}
	change, err := person.Hold(t.Context(), useractions.Target{Kind: useractions.Machine, Namespace: s.ns, Name: "metal-3"}, evening.AddDate(200, 0, 0), "")
	if err != nil || change.Title == "" || change.Already != "" {
		t.Errorf("proposed %+v, %v", change, err)
	}
}

// TestOneMistakeAtATime: a typing mistake is reported before the missing terminal.
func TestOneMistakeAtATime(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"hold metal-3", "hold metal-3 --for=-2h", "cancel nothing/metal-3", "hold metal-3 --for=2h -o table"} {
		got := offline(t, strings.Fields(command)...)
		if got.code != exitUsage || strings.Contains(got.stderr, "nobody can be asked") {
			t.Errorf("%s: exit code %d: %s", command, got.code, got.stderr)
		}
	}
}
