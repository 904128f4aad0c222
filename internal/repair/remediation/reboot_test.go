package remediation

import (
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestCycleThatWaits: what the RebootRemediation says of a cycle that has not begun is read.
func TestCycleThatWaits(t *testing.T) {
	t.Parallel()
	const succeeded, available = v1alpha1.ConditionSucceeded, v1alpha1.ConditionHostAvailable
	for name, tt := range map[string]struct {
		says func(f *harness, record *v1alpha1.MachineRemediation)
		want string
	}{
		"for its turn": {func(f *harness, record *v1alpha1.MachineRemediation) {
			f.cycleSays(record, succeeded, metav1.ConditionUnknown, v1alpha1.ReasonThrottled, "one at a time")
		}, "Acting Acting reboot:-"},
		"for its turn, for an hour": {func(f *harness, record *v1alpha1.MachineRemediation) {
			f.cycleSays(record, succeeded, metav1.ConditionUnknown, v1alpha1.ReasonThrottled, "one at a time")
			f.pass(time.Hour)
		}, "Pending Backoff reboot:NotBegun"},
		"for a person": {func(f *harness, record *v1alpha1.MachineRemediation) {
			f.cycleSays(record, available, metav1.ConditionFalse, v1alpha1.ReasonSuspendedByUser, "somebody wants the host off")
		}, "Pending Backoff reboot:NotBegun"},
		"in vain": {func(f *harness, record *v1alpha1.MachineRemediation) {
			f.cycle(record, func(s *v1alpha1.RebootRemediationStatus) {
				s.Phase, s.Outcome = v1alpha1.Failed, v1alpha1.ReasonHostUnavailable
			})
			f.cycleSays(record, succeeded, metav1.ConditionFalse, v1alpha1.ReasonHostUnavailable, "there is no host")
		}, "Held HoldStep reboot:Impossible"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t, build.Annotation(mhcspec.MaxInFlightAnnotation, "1"))
			record := f.admit(f.sick("a"), by(step(v1alpha1.ActionReboot), step(v1alpha1.ActionHold)))
			f.reconcile(record)
			tt.says(f, record)
			f.reconcile(record)
			f.wantRecord(record, tt.want)
			f.wantSlot(record, strings.HasPrefix(tt.want, "Acting"))
		})
	}
}

// TestNextCycleOfAnother: what another process makes for the next attempt, while this one still takes back the last, stays.
func TestNextCycleOfAnother(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	twice := func(s *v1alpha1.RemediationStep) { s.Attempts = 2 }
	record := f.admit(f.sick("a"), by(step(v1alpha1.ActionReboot, twice), step(v1alpha1.ActionHold)))
	f.reconcile(record)
	f.cycleBegins(record)
	f.reconcile(record)
	f.pass(10 * time.Minute)
	another := f.Reconciler
	f.restart()
	// It looks right after the delete, and before this one has seen what came of that.
	var once sync.Once
	f.Live = hooked{f.env.Client, func(key client.ObjectKey, _ client.Object) error {
		if key.Name != record.Name+"-1" || len(f.objects(cycleKind)) > 0 {
			return nil
		}
		once.Do(func() {
			for range 3 {
				if _, err := another.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(record)}); err != nil {
					t.Error(err)
				}
			}
		})
		return nil
	}}
	f.reconcile(record)
	f.wantStanding("RebootRemediation " + record.Name + "-2")
	f.wantRecord(record, "Acting Acting reboot:TimedOut reboot:-")
}

// TestSignAfterACrash: the process ends between making a RebootRemediation and showing it on the Machine. The next one shows it.
func TestSignAfterACrash(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a, askedByAnn)
	f.writes.fail = failing("patch Machine a", errRefused, false)
	_, _ = f.tryReconcile(record)
	f.writes.fail = nil
	f.restart()
	f.pass(time.Minute)
	f.reconcile(record)
	f.wantRecord(record, "Acting Acting reboot:-")
	if got := f.sign(a); got != string(record.UID)+"/1" {
		t.Errorf("while its host is cycled, the Machine shows %q", got)
	}
}
