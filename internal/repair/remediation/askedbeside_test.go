package remediation

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

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
	type row struct {
		opts []recordOption
		// waits is the other record if it has not begun, and cycles if it has.
		waits, cycles string
	}
	rows(t, map[string]row{
		"a person's": {[]recordOption{askedByAnn}, "Pending HeldByOthers", "Pending HeldByOthers reboot:Aborted"},
		"a plan's": {
			[]recordOption{by(step(v1alpha1.ActionReboot, func(s *v1alpha1.RemediationStep) { s.Attempts = 2 }))},
			"Ended Ended Superseded", "Pending HeldByOthers reboot:Aborted",
		},
	}, func(t *testing.T, tt row) {
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

// TestBeside: a record looks again when another one of its machine stands still or has given its slot back, which only that one's status says, and a
// record wakes the others alone.
func TestBeside(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	own, asked := f.admit(a), f.admitAgain(a, 2, keepsOff())
	acting := own.DeepCopy()
	acting.Status.Attempts = []v1alpha1.RemediationAttempt{{Number: 1, Step: "reboot"}}
	over, said := acting.DeepCopy(), acting.DeepCopy()
	over.Status.Attempts[0].EndTime = new(metav1.NewTime(f.clock.Now()))
	said.Status.Step = "reboot"
	without := own.DeepCopy()
	without.Status.ReleasedGrant = own.Spec.Grant
	for name, tt := range map[string]struct {
		before, after *v1alpha1.MachineRemediation
		want          bool
	}{
		"what it has made may stand no more": {acting, over, true},
		"it has no slot any more":            {own, without, true},
		"it says something else":             {acting, said, false},
	} {
		if got := besideChange().Update(event.UpdateEvent{ObjectOld: tt.before, ObjectNew: tt.after}); got != tt.want {
			t.Errorf("%s: it concerns others: %t, want %t", name, got, tt.want)
		}
	}
	if got, want := f.besideRecord(t.Context(), own), []ctrl.Request{{NamespacedName: client.ObjectKeyFromObject(asked)}}; !slices.Equal(got, want) {
		t.Errorf("it wakes %v, want %v", got, want)
	}
}

// checked stores a Machine for which the health check of another controller has asked, by a request of its name, and its record.
func (f *harness) checked(steps ...v1alpha1.RemediationStep) (*clusterv1.Machine, *v1alpha1.MachineRemediation) {
	f.t.Helper()
	a := f.sick("a")
	_, asks := f.request(a, "a")
	if len(steps) == 0 {
		steps = []v1alpha1.RemediationStep{step(v1alpha1.ActionReboot)}
	}
	return a, f.admit(a, asks, func(s *v1alpha1.MachineRemediationSpec) { s.Steps = steps })
}

// unjudged removes the verdict on a Machine.
func unjudged(m *clusterv1.Machine) {
	meta.RemoveStatusCondition(&m.Status.Conditions, verdict.ConditionType)
}

// TestCheckReplaces: the owner is asked for another machine only with a verdict, and the record ends with the machine.
func TestCheckReplaces(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a, record := f.checked(step(v1alpha1.ActionReplace))
	changeStatus(f, a, unjudged)
	f.reconcile(record)
	f.wantStanding("RebootRemediation a")
	if got, _ := stored(f, record); got.Status.CompletionTime != nil || got.Status.Phase == v1alpha1.RemediationHeld {
		t.Errorf("without a verdict, it is %s", f.summary(record))
	}
	f.judge(a, metav1.ConditionFalse)
	f.pass(10 * time.Minute)
	f.reconcile(record)
	f.wantStanding("RebootRemediation a", "a: mark")
	change(f, a, func(m *clusterv1.Machine) { m.Finalizers = []string{keep} })
	remove(f, a)
	f.reconcile(record)
	change(f, a, func(m *clusterv1.Machine) { m.Finalizers = nil })
	f.reconcile(record)
	if got, _ := stored(f, record); meta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionSucceeded) == nil {
		t.Errorf("with the machine gone, it is %s", f.summary(record))
	} else if reason := meta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionSucceeded).Reason; reason != v1alpha1.ReasonReplaced {
		t.Errorf("it ends as %s", reason)
	}
}

// TestCheckWithoutHealthCheck: a Machine that no MachineHealthCheck selects any more is repaired as long as the request stands.
func TestCheckWithoutHealthCheck(t *testing.T) {
	t.Parallel()
	f := newHarness(t, build.Annotation(clusterv1.PausedAnnotation, ""))
	a, record := f.checked()
	f.reconcile(record)
	f.wantRecord(record, "Pending Paused")
	remove(f, f.mhc)
	changeStatus(f, a, unjudged)
	f.reconcile(record)
	f.wantRecord(record, "Acting Acting reboot:-")
}
