package machinehealthcheck

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestNobodyIsAdmittedOnABusyCluster: who is admitted goes by how many machines are unhealthy. While somebody else waits for the workload
// cluster that cannot be counted, which is no failure, and is tried again soon.
func TestNobodyIsAdmittedOnABusyCluster(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	a := w.sick(t, "a")
	mhc := w.check(t, build.TriggerIfAtMost(intstr.FromInt32(1)))
	cluster := mhcspec.ClusterOf(a)
	w.nodes.Busy(cluster, true)
	if after := w.reconcile(t, mhc); after <= 0 || after > time.Second {
		t.Errorf("looks again after %s", after)
	}
	w.wantAdmitted(t)
	w.nodes.Busy(cluster, false)
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: replace")
}
