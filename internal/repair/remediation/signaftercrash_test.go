package remediation

import (
	"testing"
	"time"
)

// TestSignAfterACrash: the process ends between making a RebootRemediation and showing it on the Machine. The next one shows it.
func TestSignAfterACrash(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a, askedByAnn)
	f.writes.fail = failing("patch Machine a", errRefused, false)
	_, _ = f.tryReconcile(record)
	f.writes.fail = nil
	f.restart()
	f.pass(time.Minute)
	f.reconcile(record)
	f.wantRecord(record, "Acting Acting reboot:-")
	if got := f.sign(a); got != string(record.UID)+"/1" {
		t.Errorf("while its host is cycled, the Machine shows %q", got)
	}
}
