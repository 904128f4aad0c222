package remediation

import (
	"testing"
	"time"
)

// TestNobodyActsOnABusyCluster: while somebody else waits for a workload cluster nothing is decided about its records, which are looked at again soon.
func TestNobodyActsOnABusyCluster(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	record := f.admit(f.sick("a"))
	f.nodes.Busy(f.clusterKey(), true)
	if after := f.reconcile(record); after <= 0 || after > time.Second {
		t.Errorf("looks again after %s", after)
	}
	f.wantStanding()
	f.nodes.Busy(f.clusterKey(), false)
	f.reconcile(record)
	f.wantStanding("a: mark")
}
