package remediation

import (
	"testing"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// TestLookAtOpenShift: a person who looks at the record of a Machine of OpenShift sees that Machine, and not that it is gone.
func TestLookAtOpenShift(t *testing.T) {
	t.Parallel()
	o := newOpenShift(t)
	annotate(o.harness, o.machine, external, "")
	record := o.asked(byExternal())
	o.reconcile(record)
	o.wantRecord(record, "Acting Acting reboot:-")
	record, _ = stored(o.harness, record)
	seen, err := LookLive(t.Context(), o.env.Client, mhcspec.Policy{}, o.clock, record)
	if err != nil {
		t.Fatal(err)
	}
	if seen.Facts.Machine.Gone {
		t.Error("its Machine exists, and is said to be gone")
	}
}
