package remediation

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestHistoryOfOpenShift: the latest record of a living Machine of OpenShift is kept, however old it is. For OpenShift's health check its deletion would
// mean: cycle the host once more.
func TestHistoryOfOpenShift(t *testing.T) {
	t.Parallel()
	o := newOpenShift(t)
	annotate(o.harness, o.machine, external, "")
	record := o.asked(byExternal())
	for range 2 {
		o.reconcile(record)
		o.cycleBegins(record)
		o.reconcile(record)
		o.cycleEnds(record, v1alpha1.Failed, v1alpha1.ReasonNodeTimedOut, "The Node is not back")
		o.reconcile(record)
	}
	o.wantRecord(record, "Ended Ended NotDone reboot:Failed reboot:Failed")
	o.pass(8 * 24 * time.Hour)
	for range 3 {
		o.reconcile(record)
		o.pass(5 * time.Minute)
	}
	if got, exists := stored(o.harness, record); !exists || !got.DeletionTimestamp.IsZero() {
		t.Errorf("the record of Machine %s, which exists since %s, is deleted after 8 days", o.machine.Name, o.machine.CreationTimestamp.Format(metav1.RFC3339Micro))
	}
}
