package explain_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/pacing"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// asked adds a machine whose owner was asked so long ago to replace it, and has not answered.
func asked(s *explaintest.Scene, name string, since time.Duration) {
	m := s.Sick(name, since)
	s.OwnedBy(m, core, "MachineSet", "ms", silence.Facts{})
	r := s.Record(m, explaintest.Step("replace", v1alpha1.ActionReplace, 1, time.Hour))
	r.Spec.TemplateRef = nil
	s.Play(r, s.Now.Add(-since), s.Now)
}

// waits adds a sick machine that waits for a slot.
func waits(s *explaintest.Scene, name string, since time.Duration) {
	s.OwnedBy(s.Sick(name, since), core, "MachineSet", "ms", silence.Facts{})
}

// TestSlotsThatBecomeFree: who gets a slot when the time of another one is up is told, to the second, and only who.
func TestSlotsThatBecomeFree(t *testing.T) {
	for name, tt := range map[string]struct {
		slots string
		build func(s *explaintest.Scene)
		want  []string
	}{
		"one waits for another": {"1", func(s *explaintest.Scene) { asked(s, "a", 4*time.Minute); waits(s, "b", 3*time.Minute) }, []string{
			"6m0s a replace is taken back; the mark for its owner is removed",
			"6m0s b goes into repair: replace, when a's time is up",
		}},
		"only the first in line gets it": {"1", func(s *explaintest.Scene) {
			asked(s, "a", 4*time.Minute)
			waits(s, "b", 3*time.Minute)
			waits(s, "c", 2*time.Minute)
		}, []string{
			"6m0s a replace is taken back; the mark for its owner is removed",
			"6m0s b goes into repair: replace, when a's time is up",
		}},
		"one after the other": {"2", func(s *explaintest.Scene) {
			asked(s, "a", 4*time.Minute)
			asked(s, "b", 3*time.Minute)
			waits(s, "c", 2*time.Minute)
			waits(s, "d", time.Minute)
		}, []string{
			"6m0s a replace is taken back; the mark for its owner is removed",
			"6m0s c goes into repair: replace, when a's time is up",
			"7m0s b replace is taken back; the mark for its owner is removed",
			"7m0s d goes into repair: replace, when b's time is up",
		}},
		"two at once": {"2", func(s *explaintest.Scene) {
			asked(s, "a", 4*time.Minute)
			asked(s, "b", 4*time.Minute)
			waits(s, "c", 2*time.Minute)
		}, []string{
			"6m0s a replace is taken back; the mark for its owner is removed",
			"6m0s b replace is taken back; the mark for its owner is removed",
			"6m0s c goes into repair: replace, when the time of a, b is up",
			"6m5s a goes into repair: replace",
		}},
		"for the slot of a deletion": {"1", func(s *explaintest.Scene) {
			s.Healthy("a", build.Deleting(s.Now.Add(-40*time.Minute)))
			waits(s, "b", 3*time.Minute)
		}, []string{"20m0s b goes into repair: replace, when a's time is up"}},
		"for a deletion and a repair": {"2", func(s *explaintest.Scene) {
			s.Healthy("a", build.Deleting(s.Now.Add(-54*time.Minute)))
			asked(s, "b", 4*time.Minute)
			waits(s, "c", 3*time.Minute)
		}, []string{
			"6m0s b replace is taken back; the mark for its owner is removed",
			"6m0s c goes into repair: replace, when the time of a, b is up",
			"6m5s b goes into repair: replace",
		}},
		"a busy owner has its hour": {"2", func(s *explaintest.Scene) {
			asked(s, "a", 4*time.Minute)
			waits(s, "b", 3*time.Minute)
			x := s.Healthy("x")
			s.OwnedBy(x, core, "MachineSet", "ms", silence.Facts{})
			x.DeletionTimestamp, x.Finalizers = new(metav1.NewTime(s.Now.Add(-time.Minute))), []string{"machine.cluster.x-k8s.io"}
		}, []string{
			"56m0s a replace is taken back; the mark for its owner is removed",
			"56m0s b goes into repair: replace, when a's time is up",
			"59m0s a goes into repair: replace, when x's time is up",
		}},
		"nobody waits": {"1", func(s *explaintest.Scene) { asked(s, "a", 4*time.Minute) }, []string{
			"6m0s a replace is taken back; the mark for its owner is removed",
		}},
	} {
		s := explaintest.New().Annotated(mhcspec.MaxInFlightAnnotation, tt.slots)
		tt.build(s)
		var got []string
		for _, one := range s.Facts().Next() {
			got = append(got, fmt.Sprintf("%s %s %s", one.At.Sub(s.Now), one.Name, one.What))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}

// TestSlotsAboutToBeTaken: where machines wait although a slot is free, it is told who takes it.
func TestSlotsAboutToBeTaken(t *testing.T) {
	for slots, want := range map[string]string{
		"1": "0 of 1 in use; b is about to take one",
		"2": "0 of 2 in use; b, c are about to take one each",
	} {
		s := explaintest.New().Annotated(mhcspec.MaxInFlightAnnotation, slots)
		for i, name := range []string{"b", "c", "d"} {
			waits(s, name, time.Duration(5-i)*time.Minute)
		}
		if got := rowText(s.Facts().Of("machine", "d")[0], "Slots"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	s := explaintest.New().Annotated(mhcspec.MaxInFlightAnnotation, "1").Annotated(mhcspec.DryRunAnnotation, "true")
	waits(s, "b", 2*time.Minute)
	waits(s, "c", time.Minute)
	if got, want := rowText(s.Facts().Of("mhc", s.Check.Name)[0], "Slots"), "0 of 1 in use"; got != want {
		t.Errorf("in a dry-run: %q, want %q", got, want)
	}
}

// TestWhatOnlyReports: where nothing is ever repaired, no slot is what a machine waits for, and what would change that is named.
func TestWhatOnlyReports(t *testing.T) {
	for mode, tt := range map[string]struct{ headline, unless string }{
		"dry-run": {
			"SICK for 60s, NOT being repaired: the MachineHealthCheck is in dry-run",
			"Somebody removes the annotation sickbay.dev/dry-run from MachineHealthCheck workers",
		},
		"Observe": {"SICK for 60s, NOT being repaired: the plan only observes", "Somebody changes the mode Observe of MachineRemediationTemplate metal"},
	} {
		s := explaintest.New()
		if mode == "dry-run" {
			s.Annotated(mhcspec.DryRunAnnotation, "true").Annotated(mhcspec.MaxInFlightAnnotation, "1")
		} else {
			s.Planned(v1alpha1.RemediationPlan{
				Steps: []v1alpha1.RemediationStep{explaintest.Step("replace", v1alpha1.ActionReplace, 1, time.Hour)}, Mode: v1alpha1.ModeObserve,
				MaxInFlight: new(intstr.FromInt32(1)),
			})
		}
		waits(s, "b", 2*time.Minute)
		waits(s, "c", time.Minute)
		first, second := s.Facts().Of("machine", "b")[0], s.Facts().Of("machine", "c")[0]
		if got, want := rowText(first, "Unless"), tt.unless+": then the repair begins; the machine recovers by itself: then it is not repaired"; got != want {
			t.Errorf("%s: %q, want %q", mode, got, want)
		}
		if got, want := rowText(second, "Unless"), tt.unless+": then repairs begin; the machine recovers by itself: then it is not repaired"; got != want {
			t.Errorf("%s: %q, want %q", mode, got, want)
		}
		if got, want := rowText(second, "Would"), "replace, once a slot is free; number 1 of 1 in line"; got != want || rowText(second, "Why not") != "" {
			t.Errorf("%s: %q, want %q, and no other reason: %q", mode, got, want, rowText(second, "Why not"))
		}
		if second.Headline != tt.headline {
			t.Errorf("%s: %q, want %q", mode, second.Headline, tt.headline)
		}
	}
}

// TestOpenRepairInDryRun: what stops it is not called a pause.
func TestOpenRepairInDryRun(t *testing.T) {
	s := explaintest.New().Annotated(mhcspec.DryRunAnnotation, "true")
	r := s.Record(s.Sick("a", 10*time.Minute), reset)
	r.Status.Phase, r.Status.Step, r.Status.ReleasedGrant = v1alpha1.RemediationPending, reset.Name, r.Spec.Grant
	r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionProgressing, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonPaused}}
	p := s.Facts().Of("machine", "a")[0]
	if want := "SICK for 10m, NOT being repaired: the MachineHealthCheck is in dry-run"; p.Headline != want {
		t.Errorf("%q, want %q", p.Headline, want)
	}
	want := "Somebody removes the annotation sickbay.dev/dry-run from MachineHealthCheck workers: then the repair goes on; " +
		"the machine recovers by itself: then it is not repaired"
	if got := rowText(p, "Unless"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLeftToOthers: the fleet says who works on the machine, and its page what follows when they are done.
func TestLeftToOthers(t *testing.T) {
	s := explaintest.New()
	r := s.Record(s.Sick("a", 10*time.Minute), reset)
	r.Status.Phase, r.Status.Step, r.Status.ReleasedGrant = v1alpha1.RemediationPending, reset.Name, r.Spec.Grant
	r.Status.Conditions = []metav1.Condition{{
		Type: v1alpha1.ConditionProgressing, Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonRemediationHeldByOthers, Message: "Somebody wants the host h off (spec.online)",
	}}
	f := s.Facts()
	if got, want := f.Fleet().Waiting[0].Text, "left to others: Somebody wants the host h off (spec.online)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	want := "Somebody sets spec.online: true on BareMetalHost h: then the repair goes on; the machine recovers by itself: then it is not repaired"
	if got := rowText(f.Of("machine", "a")[0], "Unless"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRepairsThatEnd: the end of a probation lets a machine go on that is paced.
func TestRepairsThatEnd(t *testing.T) {
	s := explaintest.New().Planned(v1alpha1.RemediationPlan{
		Steps: []v1alpha1.RemediationStep{reset}, Pacing: &v1alpha1.RemediationPacing{Domains: []v1alpha1.PacingDomain{v1alpha1.DomainOwner}},
	})
	m := s.Sick("a", time.Hour)
	r := s.Record(m, reset)
	r.Annotations = pacing.Annotations(m)
	s.Play(r, s.Now.Add(-50*time.Minute), s.Now.Add(-2*time.Minute))
	s.Recover(m, 2*time.Minute)
	s.Play(r, s.Now.Add(-2*time.Minute), s.Now)
	s.Sick("b", time.Minute)
	got := rowText(s.Facts().Page(s.Facts().Machines[1]), "Next")
	if want := "12:03:00 UTC: goes into repair: reboot, when the repair of a ends"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

var reset = explaintest.Step("reboot", v1alpha1.ActionReboot, 1, time.Hour)
