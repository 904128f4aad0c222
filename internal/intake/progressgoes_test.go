package intake

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestProgressGoesWithTheRequest: Cluster API deletes its request once the machine is healthy. Then the Machine does not say for ever that somebody is
// at work on it: Cluster API never removes the condition.
func TestProgressGoesWithTheRequest(t *testing.T) {
	f := newHarness(t, build.Verdict(metav1.ConditionFalse, build.Epoch))
	request := f.ask("m", f.ofCheck)
	f.reconcile()
	made := f.record()
	meta.SetStatusCondition(&made.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionProgressing, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonActing, Message: "Step reboot"})
	f.must(f.env.Client.Status().Update(t.Context(), made))
	f.reconcile()
	f.wantProgress(metav1.ConditionFalse, v1alpha1.ReasonActing)
	f.must(f.env.Client.Delete(t.Context(), request))
	f.reconcile()
	f.ends(made, metav1.ConditionTrue, v1alpha1.ReasonRecovered)
	f.reconcile()
	c := meta.FindStatusCondition(f.machine.Status.Conditions, clusterv1.MachineExternallyRemediatedCondition)
	if c != nil && c.Status == metav1.ConditionFalse {
		t.Errorf("the request is gone and the record has ended, and the Machine says %s %s: %s", c.Status, c.Reason, c.Message)
	}
}
