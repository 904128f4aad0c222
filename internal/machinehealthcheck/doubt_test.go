package machinehealthcheck

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// When all Nodes of a cluster vanish at once, the first verdicts are there before the others. A limit
// that went by the stored ones would let as many Machines be remediated as it is high.
func TestLimitGoesByWhatIsKnownNow(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	mhc := w.check(t, build.TriggerIfAtMost(intstr.FromInt32(2)))
	w.sick(t, "a")
	cluster := client.ObjectKeyFromObject(w.cluster)
	for _, name := range []string{"b", "c", "d"} {
		w.healthy(t, name)
		w.nodes.Remove(cluster, name)
	}
	after := w.reconcile(t, mhc)
	w.wantTreated(t)
	if c := expect.Condition(t.Context(), t, w.env.Client, mhc, ConditionRemediationAllowed); c.Reason != ReasonTooManyUnhealthy {
		t.Errorf("RemediationAllowed is %s: %s, want TooManyUnhealthy", c.Reason, c.Message)
	}
	if after == 0 || after > doubtRetry {
		t.Errorf("looked at again after %s, want within %s: a doubt need not lead to a verdict", after, doubtRetry)
	}

	for _, name := range []string{"b", "c", "d"} {
		w.nodes.Put(cluster, build.Node(name))
	}
	w.reconcile(t, mhc)
	w.wantTreated(t, "a: owner")
}

// Without a limit nothing depends on the others, and they are not looked at.
func TestNobodyIsDoubtedWithoutALimit(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	mhc := w.check(t)
	w.sick(t, "a")
	w.healthy(t, "b")
	w.nodes.Remove(client.ObjectKeyFromObject(w.cluster), "b")
	w.reconcile(t, mhc)
	w.wantTreated(t, "a: owner")
}
