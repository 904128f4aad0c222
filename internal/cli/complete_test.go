package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestComplete: a shell gets the names of existing objects, and none where they cannot be read.
func TestComplete(t *testing.T) {
	s := newShell(t)
	s.admit(s.machine("metal-3"), replace)
	s.rebooting(s.admit(s.machine("metal-4"), reboot, ask))
	s.settle(s.admit(s.machine("metal-5"), reboot), func(f *ladder.Facts) { f.Machine = ladder.Machine{Gone: true} })
	s.machine("metal-6", judgedAs(metav1.ConditionTrue))
	for _, name := range []string{"rack2-u7", "rack2-u8"} {
		build.Create(t.Context(), t, s.c, &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: name}})
	}
	tests := map[string]struct {
		args []string
		want []string
	}{
		"machines under repair": {[]string{"approve", ""}, []string{"metal-3\tPending, step replace", "metal-4\tActing, step reboot", "mr/metal-3-5f2c9d1e-1\tPending, step replace", "mr/metal-4-5f2c9d1e-1\tActing, step reboot"}},
		"of one beginning":      {[]string{"deny", "metal-4"}, []string{"metal-4\tActing, step reboot"}},
		"by kind":               {[]string{"cancel", "machine/metal-3"}, []string{"machine/metal-3\tPending, step replace"}},
		"by another name":       {[]string{"cancel", "machineremediation/"}, []string{"machineremediation/metal-3-5f2c9d1e-1\tPending, step replace", "machineremediation/metal-4-5f2c9d1e-1\tActing, step reboot"}},
		"no second name":        {[]string{"cancel", "metal-3", ""}, nil},
		"steps":                 {[]string{"retry", "metal-4", "--from", ""}, []string{"reboot\tReboot", "ask\tHold"}},
		"steps of a record":     {[]string{"retry", "metal-3", "--from", "re"}, []string{"replace\tReplace"}},
		"what to hold":          {[]string{"hold", ""}, []string{"metal-3\tPending, step replace", "metal-4\tActing, step reboot", "metal-5", "metal-6", "mhc/workers", "cluster/blue"}},
		"a health check":        {[]string{"hold", "mhc/"}, []string{"mhc/workers"}},
		"a kind half typed":     {[]string{"release", "cl"}, []string{"cluster/blue"}},
		"not a kind for it":     {[]string{"hold", "mr/"}, nil},
		"what to explain":       {[]string{"explain", "mhc"}, []string{"mhc/workers"}},
		"a healthy machine":     {[]string{"explain", "metal-6"}, []string{"metal-6"}},
		"records to explain":    {[]string{"explain", "mr/metal-4"}, []string{"mr/metal-4-5f2c9d1e-1\tActing, step reboot"}},
		"hosts":                 {[]string{"explain", "host/"}, []string{"host/rack2-u7", "host/rack2-u8"}},
		"a host half typed":     {[]string{"explain", "ho"}, []string{"host/rack2-u7", "host/rack2-u8"}},
		"hosts by another name": {[]string{"explain", "bmh/rack2-u8"}, []string{"bmh/rack2-u8"}},
		"no hosts to hold":      {[]string{"hold", "host/"}, nil},
		"forms":                 {[]string{"hold", "metal-3", "-o", ""}, []string{"name", "json", "yaml"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, s.offered(t, s.kubeconfig, tt.args...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if got := s.offered(t, "/does/not/exist", "approve", ""); got != nil {
		t.Errorf("offered %q without an API server", got)
	}
}

// offered returns the completions for an unfinished command. A shell must not see errors.
func (s *shell) offered(t *testing.T, kubeconfig string, args ...string) []string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	all := append([]string{"__complete", args[0], "--kubeconfig=" + kubeconfig, "--namespace=" + s.ns}, args[1:]...)
	if code := execute(t.Context(), newRoot("sickbay"), all, &stdout, &stderr); code != exitOK {
		t.Fatalf("exit code is %d: %s", code, &stderr)
	}
	offers, directive, ok := strings.Cut(s.scrub(stdout.String()), ":4\n")
	if !ok || directive != "" {
		t.Fatalf("printed %q", &stdout)
	}
	if offers == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(offers, "\n"), "\n")
}
