package remediation

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// TestRequestWithoutItsRecord: clusterctl move takes a request along with the Machine that owns it, and leaves the record
// behind. The same is left if somebody takes the finalizer off a record by force. Nobody else ever deletes such a request.
func TestRequestWithoutItsRecord(t *testing.T) {
	t.Parallel()
	orphaned := func(t *testing.T) (*harness, *clusterv1.Machine, *v1alpha1.MachineRemediation) {
		t.Helper()
		f := newHarness(t, byTemplate())
		f.template()
		a := f.sick("a")
		f.requestOf(a, "a-record-that-is-nowhere/1")
		return f, a, f.admit(a)
	}
	t.Run("the machine is repaired", func(t *testing.T) {
		t.Parallel()
		f, _, record := orphaned(t)
		for range 10 {
			f.reconcile(record)
			f.pass(time.Hour)
			f.grant(record)
		}
		got, _ := stored(f, record)
		if ladder.Progress(&got.Status).Reason == v1alpha1.ReasonRemediationHeldByOthers {
			t.Errorf("after 10 hours: %s", ladder.Progress(&got.Status).Message)
		}
	})
	t.Run("the machine recovers", func(t *testing.T) {
		t.Parallel()
		f, a, record := orphaned(t)
		f.reconcile(record)
		f.judge(a, metav1.ConditionTrue)
		f.reconcile(record)
		f.reconcile(record)
		// A process that carries it out goes on, and ends up replacing a healthy machine.
		f.wantStanding()
	})
}
