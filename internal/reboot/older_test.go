package reboot

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestOutcomeIsState: why a cycle has ended is stored, and what follows goes by that, whatever becomes of the conditions.
func TestOutcomeIsState(t *testing.T) {
	f := in(v1alpha1.WaitingForNode, lastAttempt, notOwned)
	f.Status = Decide(f, noon.Add(nodeTimeout)).Status
	if got := f.Status.Outcome; got != v1alpha1.ReasonNodeTimedOut {
		t.Fatalf("the outcome is %q", got)
	}
	for _, conditions := range []func(){
		func() {},
		func() { condition(v1alpha1.ConditionSucceeded, "False", v1alpha1.ReasonHostUnavailable)(&f) },
		func() { meta.RemoveStatusCondition(&f.Status.Conditions, v1alpha1.ConditionSucceeded) },
	} {
		conditions()
		if d := Decide(f, noon.Add(nodeTimeout+time.Minute)); d.Action != MarkHost {
			t.Errorf("then it does %s, with %+v", d, f.Status.Conditions)
		}
	}
}
