package remediation

import (
	"testing"
)

// TestActAfterTheEndOfWhatWasAskedFor: a former leader was stopped between its look and its write. When it writes, somebody has taken back what was asked
// for, and the record has ended. Its cycle is taken back before the finalizer goes, as that of a repair: nobody looks for it afterwards, and it waits
// to be stored for as long as the record is kept.
func TestActAfterTheEndOfWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a, byAnnotation())
	f.reconcile(record)
	f.wantRecord(record, "Ended Ended Cancelled")
	if err := f.actLate("reboot", a, record); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		f.pass(sweepRetry)
		f.reconcile(record)
	}
	if n := f.cycles(); n > 0 {
		got, _ := stored(f, record)
		t.Errorf("%d cycle of a record that has ended stays, and the record has the finalizers %v", n, got.Finalizers)
	}
}
