package remediation

import (
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// TestOwnerThatCannotBeRead: the conversion webhook of the owner's kind is down. The deadline ends the wait for a
// successor all the same, and proves nothing.
func TestOwnerThatCannotBeRead(t *testing.T) {
	t.Parallel()
	f, record := replacing(t)
	f.Live = f.refuses("MachineSet", apierrors.NewInternalError(errors.New("conversion webhook failed: connection refused")))
	for range 3 {
		f.pass(12 * time.Hour)
		if _, err := f.tryReconcile(record); err != nil {
			t.Log(err)
		}
	}
	if got := f.summary(record); got != "Ended Ended MachineDeleted replace:Unneeded" {
		r, _ := stored(f, record)
		t.Errorf("36 hours later, record is %q, and has a slot: %t; it says: %s", got, ladder.HasSlot(r), ladder.Progress(&r.Status).Message)
	}
}
