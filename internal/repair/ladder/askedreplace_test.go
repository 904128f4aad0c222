package ladder

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestOwnerIsAskedAsLongAsACheckAsks: by Cluster API's contract, OwnerRemediated=False stands until the owner has replaced the machine. The owner defers
// for two days. The request of the health check stands, and nobody makes another one: so the owner is still asked when it can act.
func TestOwnerIsAskedAsLongAsACheckAsks(t *testing.T) {
	f := with(byHealthCheck(Sick), func(f *Facts) { f.Record.Spec.Steps = []v1alpha1.RemediationStep{replace()} })
	w := &story{f: f, now: noon, asked: func(f *Facts) {
		f.Machine.Mark.State, f.Machine.Mark.Message = MarkDeferred, "KCP is remediating another machine"
	}}
	w.until(48 * time.Hour)
	if s := &w.f.Record.Status; Ended(w.f.Record) {
		t.Errorf("it has ended, %s: %s", Success(s).Reason, Success(s).Message)
	}
}
