package remediation

import (
	"testing"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestPeopleDoNotWaitForWhatStandsStill: a repair has tried in vain, and now nothing of it is at work: it is left to a person, or its
// MachineHealthCheck is paused. Then what a person asks for is done: nobody else is there to wait for.
func TestPeopleDoNotWaitForWhatStandsStill(t *testing.T) {
	t.Parallel()
	rows(t, map[string]struct {
		attempts int32
		happens  func(f *harness)
		is       string
	}{
		"it is left to a person":           {1, func(*harness) {}, "Held NoStepLeft reboot:Failed"},
		"its MachineHealthCheck is paused": {2, func(f *harness) { annotate(f, f.mhc, clusterv1.PausedAnnotation, "") }, "Pending Paused reboot:Aborted"},
	}, func(t *testing.T, tt struct {
		attempts int32
		happens  func(f *harness)
		is       string
	}) {
		t.Helper()
		f := newHarness(t)
		a := f.sick("a")
		repair := f.admit(a, by(step(v1alpha1.ActionReboot, func(s *v1alpha1.RemediationStep) { s.Attempts = tt.attempts })))
		f.reconcile(repair)
		f.cycleBegins(repair)
		f.reconcile(repair)
		f.cycleEnds(repair, v1alpha1.Failed, v1alpha1.ReasonNodeTimedOut, "The Node is not back")
		tt.happens(f)
		f.reconcile(repair)
		f.wantRecord(repair, tt.is)
		asked := f.admitAgain(a, 2, askedByAnn)
		f.reconcile(repair)
		f.reconcile(asked)
		f.wantRecord(asked, "Acting Acting reboot:-")
		f.reconcile(repair)
		f.wantRecord(repair, tt.is)
	})
}
