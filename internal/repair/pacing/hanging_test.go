package pacing_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/pacing"
)

// settle carries a record on to a time, as the remediation controller does.
func settle(t *testing.T, f ladder.Facts, at time.Time) ladder.Facts {
	t.Helper()
	for range ladder.MaxTurns {
		d := ladder.Decide(f, at)
		if !d.Store {
			return f
		}
		f.Record = f.Record.DeepCopy()
		f.Record.Status = d.Status
	}
	t.Fatal("it does not settle")
	return f
}

// hanging is a record whose Replace has had its machine deleted at a time; the deletion hangs at a finalizer.
func hanging(builtIn bool, deleted time.Time) ladder.Facts {
	r := record(granted)
	if builtIn {
		r.Spec.TemplateRef = nil
	}
	r.Spec.Steps = []v1alpha1.RemediationStep{{Name: "replace", Action: v1alpha1.ActionReplace, TimeoutSeconds: new(int32(3600))}}
	began := metav1.NewTime(deleted.Add(-time.Second))
	owner := &v1alpha1.RemediationObjectReference{Kind: "MachineSet", Name: "set", UID: "o"}
	r.Status.Step, r.Status.Attempt, r.Status.StartTime = "replace", 1, &began
	r.Status.Attempts = []v1alpha1.RemediationAttempt{{Number: 1, Step: "replace", OperationID: "r/1", StartTime: &began, ObjectRef: owner}}
	return ladder.Facts{Record: r, Machine: ladder.Machine{
		Health: ladder.Undecided, DeletingSince: deleted, Owner: owner, Mark: ladder.Mark{State: ladder.MarkAnswered, Ours: true},
	}}
}

// TestHangingDeletionUnderAPause: a person pauses, or puts on hold, the one Machine whose deletion hangs. The other machines of the domain go on all
// the same: Cluster API does not delete a Machine that is paused, so that deletion cannot end.
func TestHangingDeletionUnderAPause(t *testing.T) {
	for _, builtIn := range []bool{false, true} {
		deleted := now.Add(-26 * time.Hour)
		f := settle(t, hanging(builtIn, deleted), deleted)
		f = settle(t, f, deleted.Add(time.Hour))
		f.Safety.Paused = ladder.Cause{What: ladder.Annotated, Name: "cluster.x-k8s.io/paused"}
		f = settle(t, f, deleted.Add(2*time.Hour))
		f = settle(t, f, now)
		repair, _ := pacing.RepairOf(f.Record, both)
		pace := pacing.Of([]pacing.Repair{repair}, now)
		if eligible, delayed := pace.Order([]pacing.Candidate{{UID: "other", Domains: []pacing.Domain{{Key: "Owner/o", Name: "MachineSet set"}}}}); len(eligible) != 1 {
			t.Errorf("built-in plan %t: 25 hours after the deletion became overdue, another machine of the domain waits: %s, until %s", builtIn, delayed[0].Why, delayed[0].Until)
		}
	}
}
