package remediation

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake"
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

// takesIn has intake look at a Machine, and returns the events.
func (f *harness) takesIn(machine *clusterv1.Machine) *events.FakeRecorder {
	f.t.Helper()
	recorder := events.NewFakeRecorder(10)
	in := &intake.Reconciler{Kind: intake.ClusterAPIKind, Client: f.env.Client, Live: f.env.Client, Recorder: recorder, Clock: f.clock}
	if _, err := in.Reconcile(f.t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(machine)}); err != nil {
		f.t.Fatal(err)
	}
	return recorder
}

// onlyRecord returns the only record there is.
func (f *harness) onlyRecord() *v1alpha1.MachineRemediation {
	f.t.Helper()
	var list v1alpha1.MachineRemediationList
	if err := f.env.Client.List(f.t.Context(), &list, client.InNamespace(f.ns)); err != nil {
		f.t.Fatal(err)
	}
	if len(list.Items) != 1 {
		f.t.Fatalf("there are %d records", len(list.Items))
	}
	return &list.Items[0]
}

// TestAskedOnceMoreAndAborted: a person annotates the Machine once more while its host is cycled, and the cycle is aborted through no fault of the
// host. The record and intake do not wait for each other.
func TestAskedOnceMoreAndAborted(t *testing.T) {
	t.Parallel()
	rows(t, map[string]string{"a whole cycle": cycleAnnotation, "a single step": powerOff}, func(t *testing.T, key string) {
		t.Helper()
		f := newHarness(t)
		a := f.sick("a")
		annotate(f, a, key, "please")
		f.takesIn(a)
		record := f.onlyRecord()
		f.reconcile(record)
		f.cycleBegins(record)
		f.reconcile(record)
		f.wantRecord(record, "Acting Acting reboot:-")
		annotate(f, a, key, "again")
		f.takesIn(a)
		f.cycleEnds(record, v1alpha1.Aborted, v1alpha1.ReasonHostUnavailable, "The host could not be proven off: it is paused")
		for range 48 {
			f.reconcile(record)
			f.takesIn(a)
			f.pass(time.Hour)
		}
		f.reconcile(record)
		if got := f.summary(record); got == "Pending HeldByOthers reboot:Aborted" {
			s, _ := stored(f, record)
			t.Errorf("after two days, nothing follows: %s", s.Status.Conditions[0].Message)
		}
	})
}

// TestPausedClusterIsLeftAlone: by Cluster API's contract, nobody touches what belongs to a paused Cluster, as while clusterctl moves it to another
// management cluster, where the same annotation is taken in, too. spec.requestedBy says so of a pause of the Machine or of its Cluster.
func TestPausedClusterIsLeftAlone(t *testing.T) {
	t.Parallel()
	t.Run("an annotation is not taken in", func(t *testing.T) {
		t.Parallel()
		f := newHarness(t)
		a := f.sick("a")
		change(f, f.cluster, func(c *clusterv1.Cluster) { c.Spec.Paused = new(true) })
		annotate(f, a, cycleAnnotation, "please")
		f.takesIn(a)
		if got := f.sign(a); got != "please" {
			t.Errorf("it is answered with %q, and %d records are made", got, f.recordsMade())
		}
	})
	t.Run("and what was taken in before does not begin", func(t *testing.T) {
		t.Parallel()
		f := newHarness(t)
		a := f.sick("a")
		record := f.admit(a, byAnnotation())
		f.signed(a, record)
		change(f, f.cluster, func(c *clusterv1.Cluster) { c.Spec.Paused = new(true) })
		f.reconcile(record)
		if n := f.cycles(); n != 0 {
			t.Errorf("%d cycle of a machine of a paused Cluster: %s", n, f.summary(record))
		}
	})
}

// TestActAfterTheEndOfWhatWasAskedFor: a former leader was stopped between its look and its write. When it writes, somebody has taken back what was asked
// for, and the record has ended. Its cycle is taken back before the finalizer goes, as that of a repair: nobody looks for it afterwards, and it waits
// to be stored for as long as the record is kept.
func TestActAfterTheEndOfWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a, byAnnotation())
	f.reconcile(record)
	f.wantRecord(record, "Ended Ended Cancelled")
	if err := f.actLate("reboot", a, record); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		f.pass(sweepRetry)
		f.reconcile(record)
	}
	if n := f.cycles(); n > 0 {
		got, _ := stored(f, record)
		t.Errorf("%d cycle of a record that has ended stays, and the record has the finalizers %v", n, got.Finalizers)
	}
}
