package machinehealthcheck

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestMarkOfAPowerCycleAfterARecord: a person's power cycle has failed, and has marked the machine for its owner. The machine comes back. Sickbay
// withdraws the mark, also if the machine had a record before; else the owner would replace it at the next bad verdict, whatever triggerIf says.
func TestMarkOfAPowerCycleAfterARecord(t *testing.T) {
	t.Parallel()
	for _, hadRecord := range []bool{false, true} {
		w := newHarness(t)
		mhc := w.check(t, build.TriggerIfInRange("[0-1]"))
		a := w.healthy(t, "a")
		if hadRecord {
			w.judge(t, a, metav1.ConditionFalse)
			w.reconcile(t, mhc)
			w.end(t, a)
			w.judge(t, a, metav1.ConditionTrue)
			w.reconcile(t, mhc)
		}
		w.clock.SetTime(w.clock.Now().Add(24 * time.Hour))
		a, _ = fetch(t, w, a)
		if err := remedy.MarkUnjudged(t.Context(), w.env.Client, a, w.clock.Now()); err != nil {
			t.Fatal(err)
		}
		w.reconcile(t, mhc)
		if len(w.admitted(t)) == 0 {
			t.Errorf("had a record: %t: nobody takes the mark back from a healthy machine", hadRecord)
		}
	}
}
