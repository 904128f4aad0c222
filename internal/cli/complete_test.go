package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
)

// TestComplete: a shell is offered the names that there are, and nothing where they cannot be read.
func TestComplete(t *testing.T) {
	s := newShell(t)
	s.admit(s.machine("metal-3"), replace)
	s.rebooting(s.admit(s.machine("metal-4"), reboot, ask))
	s.settle(s.admit(s.machine("metal-5"), reboot), func(f *ladder.Facts) { f.Machine = ladder.Machine{Gone: true} })
	s.machine("metal-6", verdict(metav1.ConditionTrue))
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
		"what to hold":          {[]string{"hold", ""}, []string{"metal-3\tPending, step replace", "metal-4\tActing, step reboot", "mhc/workers", "cluster/blue"}},
		"a health check":        {[]string{"hold", "mhc/"}, []string{"mhc/workers"}},
		"a kind half typed":     {[]string{"release", "cl"}, []string{"cluster/blue"}},
		"not a kind for it":     {[]string{"hold", "mr/"}, nil},
		"what to explain":       {[]string{"explain", "mhc"}, []string{"mhc/workers"}},
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

// offered is what a shell gets for a command that is not complete. It must not hear of errors.
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
