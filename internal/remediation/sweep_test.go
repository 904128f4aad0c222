package remediation

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// actLate does what a former leader does that carries out the first attempt of a record when another one has ended it.
func (f *fixture) actLate(act string, machine *clusterv1.Machine, record *v1alpha1.MachineRemediation) error {
	f.t.Helper()
	machine, _ = stored(f, machine)
	asked := remedy.Asked{
		Record: record, Step: record.Spec.Steps[0],
		Attempt: v1alpha1.RemediationAttempt{Number: 1, OperationID: ladder.OperationID(record, 1)},
	}
	switch act {
	case "replace":
		return remedy.Mark(f.t.Context(), f.env.Client, machine, f.clock.Now())
	case "request":
		return remedy.MakeRequest(f.t.Context(), f.env.Client, f.env.Client, asked)
	case "reboot":
		return remedy.AskReboot(f.t.Context(), f.env.Client, machine, asked.Attempt.OperationID)
	default:
		return remedy.MakeReboot(f.t.Context(), f.env.Client, f.env.Client, asked)
	}
}

// TestLateAct: what a former leader does for a record that has ended is taken back before the finalizer goes, as nobody looks
// for it afterwards.
func TestLateAct(t *testing.T) {
	t.Parallel()
	rows(t, standingActs, func(t *testing.T, act actCase) {
		t.Helper()
		f := newFixture(t, act.mhc...)
		f.template()
		a := f.sick("a")
		record := f.admit(a, act.plan)
		name := act.step
		if record.Spec.TemplateRef != nil {
			name += " of a plan"
		}
		f.judge(a, metav1.ConditionTrue)
		f.writes.meddle = onceBefore("update status of MachineRemediation", func() {
			f.judge(a, metav1.ConditionFalse)
			if err := f.actLate(name, a, record); err != nil {
				t.Error(err)
			}
			f.judge(a, metav1.ConditionTrue)
		})
		f.reconcile(record)
		f.reconcile(record)
		f.pass(2 * time.Minute)
		f.reconcile(record)
		f.wantStanding()
		if got, _ := stored(f, record); !closed(got) {
			t.Errorf("the record is %s", f.summary(record))
		}
	})
}

// TestLateActOfAnother: what another record of the machine has asked for since is left alone.
func TestLateActOfAnother(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a := f.sick("a")
	record := f.admit(a)
	f.judge(a, metav1.ConditionTrue)
	var next *v1alpha1.MachineRemediation
	f.writes.meddle = onceBefore("update status of MachineRemediation", func() {
		f.judge(a, metav1.ConditionFalse)
		next = f.admitAgain(a, 2)
		if err := f.actLate("replace", a, next); err != nil {
			t.Error(err)
		}
	})
	f.reconcile(record)
	f.wantStanding("a: mark")
	f.wantRecord(record, "Ended Ended RecoveredUnaided")
}
