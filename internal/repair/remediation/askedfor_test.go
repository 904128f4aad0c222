package remediation

import (
	"context"
	"testing"
	"time"

	"k8s.io/client-go/tools/events"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
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
	list := objects.List(f.t, f.env.Client, &v1alpha1.MachineRemediationList{}, f.ns)
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

// TestDenyBetweenTwoLiveReadsIsHeard: the list of the machine's records is read after the record itself, and shows it, too.
func TestDenyBetweenTwoLiveReadsIsHeard(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a, byAnnotation())
	f.signed(a, record)
	f.Live = &beforeFirstList{Reader: f.env.Client, do: func() {
		change(f, record, func(r *v1alpha1.MachineRemediation) {
			r.Spec.Decision = &v1alpha1.RemediationDecision{Attempt: 1, Answer: v1alpha1.AnswerDeny, By: "ann"}
		})
	}}
	for range 3 {
		f.reconcile(record)
	}
	if n := f.cycles(); n != 0 {
		t.Errorf("%d cycle, although ann has denied it: %s", n, f.summary(record))
	}
}

// beforeFirstList does something just before the first list of records.
type beforeFirstList struct {
	client.Reader
	do func()
}

func (r *beforeFirstList) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if _, ok := list.(*v1alpha1.MachineRemediationList); ok && r.do != nil {
		do := r.do
		r.do = nil
		do()
	}
	return r.Reader.List(ctx, list, opts...)
}
