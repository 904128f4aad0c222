package remediation

import (
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// TestKeepsOff: the host may be kept off for as long as a person likes, under any hold, however many repairs are in flight, and whatever other
// annotation is on the Machine.
func TestKeepsOff(t *testing.T) {
	t.Parallel()
	f := newHarness(t, bounded())
	f.gate.over = "2 of at most 1 in flight"
	a := f.sick("a")
	annotate(f, a, powerOff, "please")
	record := f.admit(a, keepsOff())
	f.reconcile(record)
	f.wantRecord(record, "Pending HeldByOthers")
	annotate(f, a, powerOff, answered)
	f.pass(10 * time.Minute)
	f.reconcile(record)
	f.wantRecord(record, "Acting Acting reboot:-")
	if got, _ := stored(f, cycleNamed(f, record.Name+"-1")); got.Spec.Until != v1alpha1.StepPowerOff {
		t.Errorf("the cycle goes on until %q", got.Spec.Until)
	}
	f.cycleBegins(record)
	f.reconcile(record)
	f.cycle(record, func(s *v1alpha1.RebootRemediationStatus) { s.PoweredOffAt = new(metav1.NewTime(f.clock.Now())) })
	annotate(f, a, clusterv1.PausedAnnotation, "")
	annotate(f, a, mhcspec.HoldUntilAnnotation, f.clock.Now().Add(time.Hour).UTC().Format(time.RFC3339))
	unannotate(f, a, powerOff)
	for range 2 {
		f.pass(1000 * time.Hour)
		f.reconcile(record)
		f.wantRecord(record, "Acting Acting reboot:-")
		if got, _ := stored(f, record); got.Status.NextTransitionTime != nil {
			t.Errorf("it says that something happens at %s", got.Status.NextTransitionTime)
		}
	}
	f.cycleEnds(record, v1alpha1.Succeeded, v1alpha1.ReasonRecovered, "The Node is back")
	f.reconcile(record)
	f.wantRecord(record, "Ended Ended Done reboot:Succeeded")
}

// TestKeepsOffNoMore: who takes the annotation back before the host is off gets nothing more done; once an attempt is over, the next one needs
// an annotation again.
func TestKeepsOffNoMore(t *testing.T) {
	t.Parallel()
	t.Run("before the host is off", func(t *testing.T) {
		t.Parallel()
		f := newHarness(t)
		a := f.sick("a")
		annotate(f, a, powerOff, answered)
		record := f.admit(a, keepsOff())
		f.reconcile(record)
		f.cycleBegins(record)
		f.reconcile(record)
		unannotate(f, a, powerOff)
		f.reconcile(record)
		f.wantRecord(record, "Ended Ended Cancelled reboot:Aborted")
		f.wantStanding()
	})
	t.Run("after an attempt in which it was off", func(t *testing.T) {
		t.Parallel()
		f := newHarness(t)
		a := f.sick("a")
		annotate(f, a, powerOff, answered)
		record := f.admit(a, keepsOff())
		f.reconcile(record)
		f.cycleBegins(record)
		f.reconcile(record)
		f.cycle(record, func(s *v1alpha1.RebootRemediationStatus) { s.PoweredOffAt = new(metav1.NewTime(f.clock.Now())) })
		f.reconcile(record)
		unannotate(f, a, powerOff)
		f.reconcile(record)
		f.wantRecord(record, "Acting Acting reboot:-")
		f.cycleEnds(record, v1alpha1.Aborted, v1alpha1.ReasonHostUnavailable, "The host is used by somebody else")
		f.reconcile(record)
		f.pass(5 * time.Second)
		f.reconcile(record)
		f.wantRecord(record, "Ended Ended Cancelled reboot:Aborted")
		if n := f.cycles(); n != 1 {
			t.Errorf("%d cycles", n)
		}
	})
}

// TestKeepsOffBesideOthers: a person who keeps the host off takes it over from a running cycle as soon as that has released it, and nobody else
// gets it before that person is done. Neither waits for the other for ever.
func TestKeepsOffBesideOthers(t *testing.T) {
	t.Parallel()
	rows(t, map[string]struct {
		opts []recordOption
		// waits is the other record if it has not begun, and cycles if it has.
		waits, cycles string
	}{
		"a person's": {[]recordOption{askedByAnn}, "Pending HeldByOthers", "Pending HeldByOthers reboot:Aborted"},
		"a plan's": {
			[]recordOption{by(step(v1alpha1.ActionReboot, func(s *v1alpha1.RemediationStep) { s.Attempts = 2 }))},
			"Ended Ended Superseded", "Pending HeldByOthers reboot:Aborted",
		},
	}, func(t *testing.T, tt struct {
		opts          []recordOption
		waits, cycles string
	}) {
		t.Helper()
		for _, begins := range []bool{false, true} {
			f := newHarness(t)
			a := f.sick("a")
			other, want := f.admit(a, tt.opts...), tt.waits
			if begins {
				f.reconcile(other)
				f.cycleBegins(other)
				f.reconcile(other)
				change(f, cycleNamed(f, other.Name+"-1"), func(r *v1alpha1.RebootRemediation) { r.Finalizers = []string{keep} })
				want = tt.cycles
			}
			annotate(f, a, powerOff, answered)
			keeps := f.admitAgain(a, 2, keepsOff())
			f.reconcile(other)
			f.reconcile(keeps)
			if begins {
				f.wantRecord(keeps, "Pending HeldByOthers")
				change(f, cycleNamed(f, other.Name+"-1"), func(r *v1alpha1.RebootRemediation) { r.Finalizers = nil })
				f.reconcile(other)
				f.reconcile(keeps)
			}
			f.wantRecord(other, want)
			f.wantRecord(keeps, "Acting Acting reboot:-")
			f.cycleBegins(keeps)
			f.reconcile(keeps)
			f.cycle(keeps, func(s *v1alpha1.RebootRemediationStatus) { s.PoweredOffAt = new(metav1.NewTime(f.clock.Now())) })
			// The host is on its way back, and no annotation says so.
			unannotate(f, a, powerOff)
			f.pass(time.Hour)
			f.reconcile(other)
			f.reconcile(keeps)
			if n := f.cycles(); n != 1 {
				t.Errorf("%d cycles: %s and %s", n, f.summary(other), f.summary(keeps))
			}
			f.cycleEnds(keeps, v1alpha1.Succeeded, v1alpha1.ReasonRecovered, "The Node is back")
			f.reconcile(keeps)
			f.wantRecord(keeps, "Ended Ended Done reboot:Succeeded")
			f.pass(time.Hour)
			f.reconcile(other)
			if got := f.summary(other); strings.HasPrefix(got, "Pending HeldByOthers") {
				t.Errorf("then the other one is %s", got)
			}
		}
	})
}

// TestPeopleComeFirst: a health check's record makes room for what people ask for, however they do, unless somebody has begun with it. What people
// ask for and has begun is not widened by a health check.
func TestPeopleComeFirst(t *testing.T) {
	t.Parallel()
	health := map[string]func(f *harness, m *clusterv1.Machine) recordOption{
		"Sickbay's own":        func(*harness, *clusterv1.Machine) recordOption { return by(step(v1alpha1.ActionReboot)) },
		"another controller's": func(f *harness, m *clusterv1.Machine) recordOption { _, by := f.request(m, "a"); return by },
	}
	rows(t, map[string]func(f *harness, m *clusterv1.Machine) recordOption{
		"a command":     func(*harness, *clusterv1.Machine) recordOption { return askedByAnn },
		"an annotation": func(*harness, *clusterv1.Machine) recordOption { return byAnnotation() },
		"a request":     func(f *harness, m *clusterv1.Machine) recordOption { _, by := f.request(m, "asked"); return by },
	}, func(t *testing.T, asks func(f *harness, m *clusterv1.Machine) recordOption) {
		t.Helper()
		for whose, checks := range health {
			for _, begun := range []bool{false, true} {
				f := newHarness(t)
				a := f.sick("a")
				check := f.admit(a, checks(f, a))
				f.reconcile(check)
				if begun {
					f.cycleBegins(check)
					f.reconcile(check)
				}
				asked := f.admitAgain(a, 2, asks(f, a))
				f.signed(a, asked)
				f.reconcile(asked)
				f.wantRecord(asked, "Pending HeldByOthers")
				f.reconcile(check)
				f.reconcile(asked)
				wantCheck, wantAsked := "Ended Ended Superseded reboot:NotBegun", "Acting Acting reboot:-"
				if begun {
					wantCheck, wantAsked = "Acting Acting reboot:-", "Pending HeldByOthers"
				}
				if got := f.summary(check) + ", " + f.summary(asked); got != wantCheck+", "+wantAsked {
					t.Errorf("%s, begun: %t: %s", whose, begun, got)
				}
			}
			f := newHarness(t)
			a := f.sick("a")
			asked := f.admit(a, asks(f, a))
			f.signed(a, asked)
			f.reconcile(asked)
			f.cycleBegins(asked)
			f.reconcile(asked)
			check := f.admitAgain(a, 2, checks(f, a))
			f.reconcile(check)
			f.reconcile(asked)
			if got := f.summary(check) + ", " + f.summary(asked); got != "Ended Ended Superseded, Acting Acting reboot:-" {
				t.Errorf("%s, later: %s", whose, got)
			}
		}
	})
}

// TestTwoHealthChecks: of the records of two health checks, one waits for the other.
func TestTwoHealthChecks(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	_, asks := f.request(a, "a")
	first, second := f.admit(a, asks), f.admitAgain(a, 2, by(step(v1alpha1.ActionReboot)))
	if ladder.Before(second, first) {
		first, second = second, first
	}
	f.reconcile(second)
	f.wantRecord(second, "Pending HeldByOthers")
	f.reconcile(first)
	f.wantRecord(first, "Acting Acting reboot:-")
	f.wantStanding("RebootRemediation a", "RebootRemediation "+first.Name+"-1")
}

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

// TestHostStaysOffThatAPersonKeepsOff: a person has had a host switched off by reboot.metal3.io/PowerOff, and works on it. The annotation is consumed, so
// only PowerOn, or the deletion of the record, may let the host come on: neither a read that the API server refuses for a moment, nor a proof that
// begins anew.
func TestHostStaysOffThatAPersonKeepsOff(t *testing.T) {
	t.Parallel()
	rows(t, map[string]func(f *harness, record *v1alpha1.MachineRemediation){
		"the cycle cannot be read for a moment": func(f *harness, record *v1alpha1.MachineRemediation) {
			f.Live = f.refuses(cycleKind.Kind, apierrors.NewInternalError(errors.New("etcdserver: request timed out")))
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
