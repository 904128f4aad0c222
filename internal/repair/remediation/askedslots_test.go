package remediation

import (
	"fmt"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestAnnotationsNeedSlots: a program annotates a whole rack. What is asked for by annotation needs a slot (a person's command does not), so with a
// budget of one, one host is cycled at a time.
func TestAnnotationsNeedSlots(t *testing.T) {
	t.Parallel()
	f := newHarness(t, build.Annotation("sickbay.dev/max-in-flight", "1"))
	for i := range 5 {
		m := f.sick(fmt.Sprintf("m%d", i))
		record := f.admit(m, byAnnotation())
		f.signed(m, record)
		f.reconcile(record)
		f.wantRecord(record, "Pending NoSlot")
		if i == 0 {
			f.grant(record)
			f.reconcile(record)
			f.wantRecord(record, "Acting Acting reboot:-")
		}
	}
	if n := f.cycles(); n != 1 {
		t.Errorf("with max-in-flight 1, %d hosts are cycled at once", n)
	}
}
