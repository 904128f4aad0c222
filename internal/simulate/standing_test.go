package simulate

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// marked adds a sick machine that a record of a built-in plan marked for its owner so long ago, as the API server shows it.
func (f *fleet) marked(name string, since time.Duration) *v1alpha1.MachineRemediation {
	began := metav1.NewTime(noon.Add(-since))
	m := f.machine(name, "Unknown", since+5*time.Minute)
	mark := onmachine.Waiting(m, began.Time)
	m.Status.Conditions = append(m.Status.Conditions, mark)
	m.ManagedFields = append(m.ManagedFields, metav1.ManagedFieldsEntry{
		Manager: ownwrites.RemediationFieldOwner, Operation: metav1.ManagedFieldsOperationUpdate,
		FieldsV1: metav1.NewFieldsV1(`{"f:status":{"f:conditions":{"k:{\"type\":\"OwnerRemediated\"}":{".":{},"f:status":{}}}}}`),
	})
	r := f.Record(m, step("replace", v1alpha1.ActionReplace, 1, time.Hour))
	r.Spec.TemplateRef, r.Spec.ProbationSeconds, r.CreationTimestamp = nil, nil, began
	owner := metav1.GetControllerOf(m)
	r.Status = v1alpha1.MachineRemediationStatus{
		Phase: v1alpha1.RemediationActing, Attempt: 1, Step: "replace",
		Attempts: []v1alpha1.RemediationAttempt{{
			Number: 1, Step: "replace", OperationID: ladder.OperationID(r, 1), StartTime: &began,
			ObjectRef: &v1alpha1.RemediationObjectReference{APIVersion: owner.APIVersion, Kind: owner.Kind, Name: owner.Name, UID: owner.UID},
		}},
	}
	return r
}

// TestSignThatStoodBeforeIsTakenOff: what shows a power cycle on a Machine goes with it, so a machine whose cycle has failed does not count while it
// waits.
func TestSignThatStoodBeforeIsTakenOff(t *testing.T) {
	f := newFleet().planned(one, step("reboot", v1alpha1.ActionReboot, 3, 20*time.Minute)).healthy(2).rebooting("a", 4*time.Minute)
	m, r := f.Machines[2], f.Records[0]
	r.UID = "6f1c9d1e-0000-4000-8000-00000000000a"
	for i := range r.Status.Attempts {
		r.Status.Attempts[i].OperationID = ladder.OperationID(r, r.Status.Attempts[i].Number)
	}
	metav1.SetMetaDataAnnotation(&m.ObjectMeta, rebootannotation.Request, r.Status.Attempts[0].OperationID)
	s, err := Suppose(f.facts(), Changes{}, mhcspec.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	result, err := s.Play(Options{World: World{Repairs: RepairsFail}, For: 3 * time.Hour, RepairTakes: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if m := s.machines[2]; onmachine.SignOver(m.obj, s.records[0].obj) || rebootannotation.IsSign(m.obj.Annotations[rebootannotation.Request]) {
		t.Errorf("the Machine still shows a cycle: %v\n%s", m.obj.Annotations, result.Answer())
	}
	if m.Annotations[rebootannotation.Request] == "" {
		t.Error("the observed Machine has changed")
	}
}

// TestMarkOfAnotherIsAnswered: the owner answers any mark that stands. It does not matter who set it, or whether it belongs to a record.
func TestMarkOfAnotherIsAnswered(t *testing.T) {
	f := newFleet().healthy(2)
	m := f.machine("a", "Unknown", time.Hour)
	m.Status.Conditions = append(m.Status.Conditions, metav1.Condition(build.Condition(clusterv1.MachineOwnerRemediatedCondition, metav1.ConditionFalse,
		clusterv1.MachineOwnerRemediatedWaitingForRemediationReason, build.Epoch)))
	f.annotated(mhcspec.HoldUntilAnnotation, noon.Add(24*time.Hour).Format(time.RFC3339))
	r := f.played(t)
	if r.Summary.Replaced != 1 {
		t.Errorf("its owner does not replace it: %s", r.Answer())
	}
}

// TestOwnerRefusesAgain: an owner that has refused a machine before refuses it again, and replaces others.
func TestOwnerRefusesAgain(t *testing.T) {
	f := newFleet().annotated(mhcspec.MaxInFlightAnnotation, "1").healthy(2)
	f.marked("a", 4*time.Minute)
	mark := meta.FindStatusCondition(f.Machines[2].Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
	mark.Reason, mark.Message = clusterv1.MachineSetMachineCannotBeRemediatedReason, "it is pending removal"
	f.machine("b", "Unknown", time.Hour)
	r := f.played(t)
	want := "Within 2h, repairs would begin on 1 of 2 sick machines, besides 1 whose repair has begun, at most 1 at once. " +
		"At the end: 1 replaced; 1 not healthy (MachineSet md-0 says: it is pending removal): a"
	if got := r.Answer(); got != want {
		t.Errorf("%s", got)
	}
}

// TestSuccessorStillComes: a machine that was gone before the simulation gets its successor, and its repair ends.
func TestSuccessorStillComes(t *testing.T) {
	f := newFleet().planned(nil, step("replace", v1alpha1.ActionReplace, 1, time.Hour)).healthy(2)
	r := f.marked("a", 4*time.Minute)
	r.Spec.TemplateRef, r.Spec.ProbationSeconds = &v1alpha1.PlanReference{Name: f.Plan.Name, UID: f.Plan.UID, Generation: f.Plan.Generation}, new(int32(60))
	r.Status.Attempts[0].BeganAt = r.Status.Attempts[0].StartTime
	f.Machines = f.Machines[:2]
	result := f.played(t)
	ends := ""
	for _, e := range result.Timeline {
		if strings.Contains(e.What, "the repair ends") {
			ends = e.At.Format("15:04:05") + " " + e.What
		}
	}
	if want := "12:11:00 the repair ends: Replaced"; ends != want {
		t.Errorf("%q, want %q\n%+v", ends, want, result.Timeline)
	}
}

// TestDeletionThatHangs: nobody knows when a deletion ends that has taken longer than an action takes, so it keeps its slot as in reality, and the
// result says so. One that is young ends.
func TestDeletionThatHangs(t *testing.T) {
	for began, want := range map[time.Duration]struct{ answer, assumed string }{
		40 * time.Minute: {
			"Within 2h, repairs would begin on 1 of 2 sick machines, besides 1 whose repair has begun, at most 1 at once. " +
				"At the end: 1 replaced; 1 not healthy (still being deleted): a",
			"what is being deleted already is not gone before the end: a (for 40m)",
		},
		4 * time.Minute: {"Within 2h, repairs would begin on 1 of 2 sick machines, besides 1 whose repair has begun, at most 1 at once. At the end: 2 replaced", ""},
	} {
		f := newFleet().annotated(mhcspec.MaxInFlightAnnotation, "1").healthy(2)
		f.marked("a", began).Status.Attempts[0].BeganAt = new(metav1.NewTime(noon.Add(-began)))
		build.Deleting(noon.Add(-began))(f.Machines[2])
		f.machine("b", "Unknown", time.Hour)
		r := f.played(t)
		assumed := strings.Join(r.Assumptions[1:], "; ")
		if got := r.Answer(); got != want.answer || assumed != want.assumed {
			t.Errorf("%s, assuming %q", got, assumed)
		}
	}
}

// TestWatchesNobody: a health check without machines is not called open, and what is one letter away is named.
func TestWatchesNobody(t *testing.T) {
	f := newFleet().healthy(2)
	for _, m := range f.Machines {
		m.Labels["pool"] = "workers"
	}
	f.Check.Spec.Selector.MatchLabels = map[string]string{"pool": "worker"}
	r := f.played(t)
	want := "SELECTS NO MACHINE: none has pool=worker, but 2 have pool=workers"
	if c := r.Checks[0]; c.Headline != want || c.Gate != "" {
		t.Errorf("%q, and of its gate %q", c.Headline, c.Gate)
	}
	want = "Nothing would be repaired within 2h: MachineHealthCheck workers selects no machine: none has pool=worker, but 2 have pool=workers"
	if got := r.Answer(); got != want {
		t.Errorf("the answer is %q", got)
	}
}

// TestReadOwners: an owner of which nothing is known yet is read once it may be asked, and one that is known is not read again.
func TestReadOwners(t *testing.T) {
	f := newFleet().healthy(2)
	all := f.facts()
	all.Machines[0].Owner, all.Machines[1].Owner = silence.Facts{}, silence.Facts{}
	s, err := Suppose(all, Changes{}, mhcspec.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	reads := 0
	s.ReadOwners(func(*clusterv1.Machine, *clusterv1.Cluster) (silence.Facts, error) {
		reads++
		return silence.Facts{Owner: &metav1.ObjectMeta{Name: "md-0", Annotations: map[string]string{clusterv1.PausedAnnotation: ""}}}, nil
	})
	r, err := s.Play(Options{For: time.Hour, RepairTakes: time.Minute, Fails: fails(t, "machine/h1")})
	if err != nil {
		t.Fatal(err)
	}
	want := "Within 1h, repairs would begin on 1 of 1 sick machine, at most 1 at once. At the end: 1 not healthy (MachineSet md-0 is paused): h1"
	if got := r.Answer(); got != want || reads != 1 {
		t.Errorf("after %d reads: %s", reads, got)
	}
}
