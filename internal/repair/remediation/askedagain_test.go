package remediation

import (
	"testing"
	"time"

	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake"
)

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
