package machinehealthcheck

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// TestLimitGoesByWhatIsKnownNow: when all Nodes of a cluster vanish at once, the first verdicts are there before the others.
// A limit that went by the stored ones would let as many machines be admitted as it is high.
func TestLimitGoesByWhatIsKnownNow(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	mhc := w.check(t, build.TriggerIfAtMost(intstr.FromInt32(2)))
	w.sick(t, "a")
	cluster := client.ObjectKeyFromObject(w.cluster)
	for _, name := range []string{"b", "c", "d"} {
		w.healthy(t, name)
		w.nodes.Remove(cluster, name)
	}
	after := w.reconcile(t, mhc)
	w.wantAdmitted(t)
	c := expect.Condition(t.Context(), t, w.env.Client, mhc, admission.ConditionRemediationAllowed)
	if want := "3 of 4 machines not healthy (1 sick, 2 unconfirmed), more than the 2 allowed; 1 is held back: a"; c.Reason != admission.ReasonTooManyUnhealthy || c.Message != want {
		t.Errorf("RemediationAllowed is %s: %s, want TooManyUnhealthy: %s", c.Reason, c.Message, want)
	}
	if latest, _ := stored(t, w, mhc); *latest.Status.CurrentHealthy != 3 {
		t.Errorf("currentHealthy is %d, want that of the stored verdicts", *latest.Status.CurrentHealthy)
	}
	if after == 0 || after > 15*time.Second {
		t.Errorf("looked at again after %s, want soon: what is not confirmed need not lead to a verdict", after)
	}

	for _, name := range []string{"b", "c", "d"} {
		w.nodes.Put(cluster, build.Node(name))
	}
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: replace")
}

// TestNodeThatTheCacheLacks: a machine is not healthy for certain whose Node the cache does not have, and nobody looks
// past the cache for it.
func TestNodeThatTheCacheLacks(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	mhc := w.check(t, build.TriggerIfAtMost(intstr.FromInt32(1)))
	w.sick(t, "a")
	w.nodes.Freeze()
	w.healthy(t, "b")
	w.reconcile(t, mhc)
	w.wantAdmitted(t)
}

// TestNobodyIsJudgedAnewWithoutALimit: nothing depends on the others then.
func TestNobodyIsJudgedAnewWithoutALimit(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	mhc := w.check(t)
	w.sick(t, "a")
	w.healthy(t, "b")
	w.nodes.Remove(client.ObjectKeyFromObject(w.cluster), "b")
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: replace")
	c := expect.Condition(t.Context(), t, w.env.Client, mhc, admission.ConditionRemediationAllowed)
	if want := "1 of 2 machines not healthy (1 sick), no limit set"; c.Message != want {
		t.Errorf("message is %q, want %q", c.Message, want)
	}
}
