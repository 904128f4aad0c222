package remediation

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestHistoryBesideAHostThatCannotBeRead: Sickbay may not read hosts any more, or the webhook that converts them is away. The records of one host stay;
// those of all other machines of the cluster go when their time is up.
func TestHistoryBesideAHostThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, err := range unreadableKinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t)
			onHost := f.over(f.gone("h"), 1, 30*24*time.Hour, func(s *v1alpha1.MachineRemediationSpec) {
				s.HostRef = &v1alpha1.RemediationReference{Name: "host", UID: "host-uid"}
			})
			record := f.over(f.gone("a"), 1, 30*24*time.Hour)
			f.Live = &refusing{Reader: f.env.Client, kind: hostKind.Kind, err: err}
			for range 3 {
				if _, err := f.tryReconcile(record); err != nil {
					t.Logf("error: %v", err)
				}
				f.pass(passPause)
			}
			f.wantKept(onHost)
		})
	}
}
