package remediation

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// askedByAnn makes a record that a person has asked for.
func askedByAnn(s *v1alpha1.MachineRemediationSpec) {
	s.HealthCheckRef, s.Finding, s.Grant = v1alpha1.RemediationReference{}, v1alpha1.RemediationFinding{}, 0
	s.RequestedBy = &v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByPerson, Name: "ann", Reason: "new firmware"}
	s.Steps = []v1alpha1.RemediationStep{step(v1alpha1.ActionReboot)}
}

// sign returns the annotation with which a Machine shows a power cycle.
func (f *harness) sign(machine *clusterv1.Machine) string {
	f.t.Helper()
	got, _ := stored(f, machine)
	return got.Annotations[rebootannotation.Request]
}

// TestAskedFor: what a person asks for is carried out at once and once, on a healthy machine, whatever its MachineHealthCheck says.
func TestAskedFor(t *testing.T) {
	t.Parallel()
	for name, happens := range map[string]func(f *harness, machine *clusterv1.Machine){
		"as it is":                         func(*harness, *clusterv1.Machine) {},
		"the MachineHealthCheck is paused": func(f *harness, _ *clusterv1.Machine) { annotate(f, f.mhc, clusterv1.PausedAnnotation, "") },
		"it is in dry-run":                 func(f *harness, _ *clusterv1.Machine) { annotate(f, f.mhc, mhcspec.DryRunAnnotation, "true") },
		"there is none":                    func(f *harness, _ *clusterv1.Machine) { remove(f, f.mhc) },
		"its gate is closed":               func(f *harness, _ *clusterv1.Machine) { f.gate.closed = "3 of 3 are not healthy" },
		"skip-remediation": func(f *harness, m *clusterv1.Machine) {
			annotate(f, m, clusterv1.MachineSkipRemediationAnnotation, "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t)
			a := f.sick("a")
			f.judge(a, metav1.ConditionTrue)
			happens(f, a)
			record := f.admit(a, askedByAnn)
			f.reconcile(record)
			f.wantRecord(record, "Acting Acting reboot:-")
			f.wantStanding("RebootRemediation " + record.Name + "-1")
			if want := string(record.UID) + "/1"; f.sign(a) != want {
				t.Errorf("the Machine shows %q, want %q", f.sign(a), want)
			}
			f.cycleBegins(record)
			f.restart()
			f.reconcile(record)
			f.cycle(record, func(s *v1alpha1.RebootRemediationStatus) {
				s.Phase, s.FinishedAt = v1alpha1.Succeeded, new(metav1.NewTime(f.clock.Now()))
			})
			f.cycleSays(record, v1alpha1.ConditionSucceeded, metav1.ConditionTrue, v1alpha1.ReasonRecovered, "The Node is back")
			f.reconcile(record)
			f.wantRecord(record, "Ended Ended Done reboot:Succeeded")
			f.reconcile(record)
			if n := count(f.writes.since(), "create RebootRemediation"); n != 1 || f.sign(a) != "" {
				t.Errorf("%d cycles, and the Machine shows %q", n, f.sign(a))
			}
			f.wantEvents(
				"Normal RemediationEnded RebootRemediation "+record.Name+"-1 has succeeded",
				"Normal RemediationStarted Step reboot: waits for the power cycle of its host; nothing follows if that fails. Asked for by ann: new firmware",
			)
		})
	}
}

// TestAskedForOnHold: pauses and holds of the machine and of its Cluster count, as they do for everybody.
func TestAskedForOnHold(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		happens func(f *harness, machine *clusterv1.Machine)
		want    string
	}{
		"the Machine is paused": {func(f *harness, m *clusterv1.Machine) { annotate(f, m, clusterv1.PausedAnnotation, "") }, "Pending Paused"},
		"the Cluster is on hold": {func(f *harness, _ *clusterv1.Machine) {
			annotate(f, f.cluster, mhcspec.HoldUntilAnnotation, f.clock.Now().Add(time.Hour).UTC().Format(time.RFC3339))
		}, "Pending OnHold"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t)
			a := f.sick("a")
			tt.happens(f, a)
			record := f.admit(a, askedByAnn)
			f.reconcile(record)
			f.wantRecord(record, tt.want)
			f.wantStanding()
		})
	}
}

// TestAskedForBesideARepair: what a person asks for waits for a repair that has begun, and takes the place of one that has not. Of two that people ask
// for, one waits for the other.
func TestAskedForBesideARepair(t *testing.T) {
	t.Parallel()
	t.Run("it has begun", func(t *testing.T) {
		t.Parallel()
		f := newHarness(t, byReboot())
		a := f.sick("a")
		repair := f.admit(a)
		f.reconcile(repair)
		f.cycleBegins(repair)
		f.reconcile(repair)
		asked := f.admitAgain(a, 2, askedByAnn)
		f.reconcile(asked)
		f.reconcile(repair)
		f.wantRecord(asked, "Pending HeldByOthers")
		f.wantRecord(repair, "Acting Acting reboot:-")
		f.judge(a, metav1.ConditionTrue)
		f.reconcile(repair)
		f.wantRecord(repair, "Ended Ended Recovered reboot:Succeeded")
		f.reconcile(asked)
		f.wantRecord(asked, "Acting Acting reboot:-")
	})
	t.Run("it has not begun", func(t *testing.T) {
		t.Parallel()
		f := newHarness(t)
		a := f.sick("a")
		repair := f.admit(a)
		f.reconcile(repair)
		f.wantStanding("a: mark")
		asked := f.admitAgain(a, 2, askedByAnn)
		f.reconcile(asked)
		f.wantRecord(asked, "Pending HeldByOthers")
		f.reconcile(repair)
		f.wantRecord(repair, "Ended Ended Superseded replace:NotBegun")
		f.wantStanding()
		f.reconcile(asked)
		f.wantRecord(asked, "Acting Acting reboot:-")
	})
	t.Run("another person's", func(t *testing.T) {
		t.Parallel()
		f := newHarness(t)
		a := f.sick("a")
		first, second := f.admit(a, askedByAnn), f.admitAgain(a, 2, askedByAnn)
		f.reconcile(second)
		f.reconcile(first)
		f.reconcile(second)
		if n := len(f.objects(cycleKind)); n != 1 {
			t.Errorf("%d cycles at once: %s and %s", n, f.summary(first), f.summary(second))
		}
	})
}

// TestAskedForByFilter: a record that a person makes belongs to the manager whose filter it carries, though no MachineHealthCheck says so.
func TestAskedForByFilter(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	record := f.admit(f.sick("a"), askedByAnn)
	f.Policy.WatchFilter = "theirs"
	f.reconcile(record)
	f.wantRecord(record, " ")
	f.Policy.WatchFilter = ""
	f.reconcile(record)
	f.wantRecord(record, "Acting Acting reboot:-")
}
