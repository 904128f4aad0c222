package ladder

import (
	"testing"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestAskedForDeletesNothing: a step Replace that another health check asked for asks the machine's owner, and is there only because the machine had one.
// Meanwhile somebody has deleted the owner and left its machines, as kubectl delete --cascade=orphan does. Nobody would replace the machine, so it is not
// deleted, disks and all.
func TestAskedForDeletesNothing(t *testing.T) {
	f := with(byHealthCheck(Sick), works("reboot", 0), over(v1alpha1.ResultFailed, "replace"), orphan)
	if _, d := decideAll(f, noon); d.Act == DeleteMachine {
		t.Errorf("it does %s", d.Act)
	}
}
