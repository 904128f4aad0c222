package remediation

import (
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestHostStaysOffThatAPersonKeepsOff: a person has had a host switched off by reboot.metal3.io/PowerOff, and works on it. The annotation is consumed, so
// only PowerOn, or the deletion of the record, may let the host come on: neither a read that the API server refuses for a moment, nor a proof that
// begins anew.
func TestHostStaysOffThatAPersonKeepsOff(t *testing.T) {
	t.Parallel()
	rows(t, map[string]func(f *harness, record *v1alpha1.MachineRemediation){
		"the cycle cannot be read for a moment": func(f *harness, record *v1alpha1.MachineRemediation) {
			f.Live = &refusing{Reader: f.env.Client, kind: cycleKind.Kind, err: apierrors.NewInternalError(errors.New("etcdserver: request timed out"))}
			_, _ = f.tryReconcile(record)
			f.Live = f.env.Client
		},
		"its host is not proven off any more": func(f *harness, record *v1alpha1.MachineRemediation) {
			// As backToPowerOff and failPowerOff of the cycle store it after /Delete was set on a host that is paused.
			f.cycle(record, func(s *v1alpha1.RebootRemediationStatus) { s.PoweredOffAt = nil })
		},
	}, func(t *testing.T, happens func(f *harness, record *v1alpha1.MachineRemediation)) {
		t.Helper()
		f := newHarness(t)
		a := f.sick("a")
		annotate(f, a, powerOff, answered)
		record := f.admit(a, keepsOff())
		f.reconcile(record)
		f.cycleBegins(record)
		f.reconcile(record)
		f.cycle(record, func(s *v1alpha1.RebootRemediationStatus) {
			now := metav1.NewTime(f.clock.Now())
			s.Phase, s.PoweredOffAt, s.HoldingSince = v1alpha1.Holding, &now, &now
		})
		unannotate(f, a, powerOff)
		f.reconcile(record)
		f.wantRecord(record, "Acting Acting reboot:-")
		happens(f, record)
		f.reconcile(record)
		if n := f.cycles(); n != 1 {
			got, _ := stored(f, record)
			t.Errorf("the cycle that keeps the host off is withdrawn: %s: %+v", f.summary(record), got.Status.Conditions)
		}
	})
}
