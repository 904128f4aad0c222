package remediation

import (
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// actCase is one way to act, and what stands then.
type actCase struct {
	mhc      []build.MachineHealthCheckOption
	plan     recordOption
	step     string
	standing func(record *v1alpha1.MachineRemediation) string
	// begun reports that somebody has begun what was asked for, as soon as it stands.
	begun bool
}

// asks admits a machine, and has it asked for.
func (f *harness) asks(a *clusterv1.Machine, act actCase, opts ...recordOption) *v1alpha1.MachineRemediation {
	f.t.Helper()
	record := f.admit(a, append([]recordOption{act.plan}, opts...)...)
	f.reconcile(record)
	if act.begun && act.step == "reboot" {
		f.cycleBegins(record)
		f.reconcile(record)
	}
	return record
}

// takenBack is the result of the attempt once nothing of it stands any more.
func (act actCase) takenBack() string {
	if act.begun {
		return act.step + ":Aborted"
	}
	return act.step + ":NotBegun"
}

func ofCycle(record *v1alpha1.MachineRemediation) string {
	return "RebootRemediation " + record.Name + "-1"
}

// builtIn has the record follow the built-in plan.
func builtIn(*v1alpha1.MachineRemediationSpec) {}

func named(what string) func(*v1alpha1.MachineRemediation) string {
	return func(*v1alpha1.MachineRemediation) string { return what }
}

// standingActs are the acts that can be withdrawn.
var standingActs = map[string]actCase{
	"mark":          {nil, builtIn, "replace", named("a: mark"), false},
	"request":       {[]build.MachineHealthCheckOption{byTemplate()}, builtIn, "request", named("FixRemediation a"), true},
	"reboot":        {[]build.MachineHealthCheckOption{byReboot()}, builtIn, "reboot", ofCycle, false},
	"reboot, begun": {nil, by(step(v1alpha1.ActionReboot)), "reboot", ofCycle, true},
}

// undoings are the reasons for which Sickbay has nothing to do with a machine any more.
var undoings = map[string]func(f *harness, a *clusterv1.Machine){
	"skipped": func(f *harness, a *clusterv1.Machine) { annotate(f, a, clusterv1.MachineSkipRemediationAnnotation, "") },
	"not selected": func(f *harness, a *clusterv1.Machine) {
		change(f, a, func(m *clusterv1.Machine) { m.Labels[clusterv1.MachineSetNameLabel] = "other" })
	},
	"selector changed": func(f *harness, _ *clusterv1.Machine) {
		change(f, f.mhc, func(m *clusterv1.MachineHealthCheck) { m.Spec.Selector.MatchLabels = map[string]string{"other": "yes"} })
	},
	"check deleted": func(f *harness, _ *clusterv1.Machine) { remove(f, f.mhc) },
	"check deleting": func(f *harness, _ *clusterv1.Machine) {
		change(f, f.mhc, func(m *clusterv1.MachineHealthCheck) { m.Finalizers = []string{keep} })
		remove(f, f.mhc)
	},
	"handed back":    func(f *harness, _ *clusterv1.Machine) { f.Policy = mhcspec.Policy{WatchFilter: "us"} },
	"record deleted": func(f *harness, _ *clusterv1.Machine) { remove(f, f.recordOf("a")) },
}

// TestUndo: for any reason, a record withdraws what it asked for, ends, and says so.
func TestUndo(t *testing.T) {
	t.Parallel()
	for how, undo := range undoings {
		for what, act := range standingActs {
			if what != "mark" && how != "check deleted" && how != "record deleted" {
				continue // each reason and each act once
			}
			t.Run(what+", "+how, func(t *testing.T) {
				t.Parallel()
				opts := append([]build.MachineHealthCheckOption{build.Selector(map[string]string{clusterv1.MachineSetNameLabel: "set"})}, act.mhc...)
				f := newHarness(t, opts...)
				f.template()
				a := f.sick("a")
				record := f.asks(a, act)
				f.wantStanding(act.standing(record))
				undo(f, a)
				f.reconcile(record)
				f.reconcile(record)
				f.wantStanding()
				if how == "record deleted" {
					f.wantRecord(record, "gone")
					return
				}
				f.wantRecord(record, handedBack+" "+act.takenBack())
				got, _ := stored(f, record)
				if !closed(got) {
					t.Errorf("labels %v, finalizers %v", got.Labels, got.Finalizers)
				}
				if got, _ := stored(f, a); !got.DeletionTimestamp.IsZero() {
					t.Error("the Machine is deleted")
				}
			})
		}
	}
}

// TestPauseWithdrawsTheMark: any pause does, and again if the mark comes back, because its owner would act on it all the same.
func TestPauseWithdrawsTheMark(t *testing.T) {
	t.Parallel()
	rows(t, map[string]func(f *harness, a *clusterv1.Machine){
		"cluster": func(f *harness, _ *clusterv1.Machine) { setPaused(f, true) },
		"check":   func(f *harness, _ *clusterv1.Machine) { annotate(f, f.mhc, clusterv1.PausedAnnotation, "") },
		"machine": func(f *harness, a *clusterv1.Machine) { annotate(f, a, clusterv1.PausedAnnotation, "") },
		"dry-run": func(f *harness, _ *clusterv1.Machine) { annotate(f, f.mhc, mhcspec.DryRunAnnotation, "true") },
	}, func(t *testing.T, pause func(f *harness, a *clusterv1.Machine)) {
		t.Helper()
		f := newHarness(t)
		a := f.sick("a")
		record := f.admit(a)
		f.reconcile(record)
		f.answer(a, clusterv1.MachineSetMachineRemediationDeferredReason, "one at a time")
		pause(f, a)
		for range 2 {
			f.reconcile(record)
			f.wantStanding()
			f.wantRecord(record, "Pending Paused replace:NotBegun")
			f.wantSlot(record, false)
			f.answer(a, clusterv1.MachineSetMachineRemediationDeferredReason, "one at a time, still")
		}
		annotate(f, a, clusterv1.MachineSkipRemediationAnnotation, "")
		f.reconcile(record)
		f.wantStanding()
		f.wantRecord(record, handedBack+" replace:NotBegun")
	})
}

// TestMachineMovesOver to another MachineHealthCheck: its record goes on, under the safety settings of that one.
func TestMachineMovesOver(t *testing.T) {
	t.Parallel()
	f := newHarness(t, build.Selector(map[string]string{clusterv1.MachineSetNameLabel: "set"}))
	a := f.sick("a")
	record := f.admit(a)
	f.reconcile(record)
	other := build.MachineHealthCheck(f.ns, "other", build.Selector(map[string]string{clusterv1.MachineSetNameLabel: "other"}), build.Annotation(clusterv1.PausedAnnotation, ""))
	build.Create(t.Context(), t, f.env.Client, other)
	change(f, a, func(m *clusterv1.Machine) { m.Labels[clusterv1.MachineSetNameLabel] = "other" })
	f.reconcile(record)
	f.wantStanding()
	f.wantRecord(record, "Pending Paused replace:NotBegun")
	unannotate(f, other, clusterv1.PausedAnnotation)
	f.pass(time.Minute)
	f.grant(record)
	f.reconcile(record)
	f.wantRecord(record, "Acting Acting replace:NotBegun replace:-")
}

// TestRecovery: what can be withdrawn is, and the machine has to stay healthy.
func TestRecovery(t *testing.T) {
	t.Parallel()
	rows(t, standingActs, func(t *testing.T, act actCase) {
		t.Helper()
		f := newHarness(t, act.mhc...)
		f.template()
		a := f.sick("a")
		record := f.asks(a, act, func(s *v1alpha1.MachineRemediationSpec) { s.ProbationSeconds = new(int32(60)) })
		f.judge(a, metav1.ConditionTrue)
		f.reconcile(record)
		after := f.reconcile(record)
		f.wantStanding()
		proving, end := act.step+":-", "Ended Ended Recovered "+act.step+":Succeeded"
		if !act.begun {
			proving, end = act.takenBack(), "Ended Ended RecoveredUnaided "+act.takenBack()
		}
		f.wantRecord(record, "Probation Probation "+proving)
		f.wantSlot(record, act.begun)
		if after != time.Minute {
			t.Errorf("looks again after %s", after)
		}
		f.pass(time.Minute)
		f.reconcile(record)
		f.wantRecord(record, end)
	})
}

// TestTerminating: in a Cluster that is being deleted only hosts are given back, and nothing holds the deletion up. The deletion may hang, so a drain
// takes everything back from a machine that is not being deleted.
func TestTerminating(t *testing.T) {
	t.Parallel()
	for what, act := range standingActs {
		for _, drains := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, drains %t", what, drains), func(t *testing.T) {
				t.Parallel()
				f := newHarness(t, act.mhc...)
				f.template()
				record := f.asks(f.sick("a"), act)
				f.deleting(f.cluster)
				f.Policy.Drain = drains
				f.reconcile(record)
				f.reconcile(record)
				if drains || act.step == "reboot" {
					f.wantStanding()
				} else {
					f.wantStanding(act.standing(record))
				}
				// Its owner is gone, so it is collected.
				change(f, f.cluster, func(c *clusterv1.Cluster) { c.Finalizers = nil })
				remove(f, record)
				f.reconcile(record)
				f.reconcile(record)
				f.wantRecord(record, "gone")
			})
		}
	}
}

// TestNamespaceDeletion is held up by nothing of ours: each record ends once it is deleted, whatever is at work.
func TestNamespaceDeletion(t *testing.T) {
	t.Parallel()
	for what, act := range standingActs {
		for _, cluster := range []string{"stays", "is gone"} {
			t.Run(what+", its Cluster "+cluster, func(t *testing.T) {
				t.Parallel()
				f := newHarness(t, act.mhc...)
				f.template()
				record, pending := f.asks(f.sick("a"), act), f.admit(f.sick("b"), act.plan)
				remove(f, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: f.ns}})
				if cluster == "is gone" {
					remove(f, f.cluster)
				}
				for _, r := range []*v1alpha1.MachineRemediation{record, pending} {
					f.reconcile(r)
					remove(f, r)
					f.reconcile(r)
					f.reconcile(r)
					f.wantRecord(r, "gone")
				}
			})
		}
	}
}

// TestFinalizersOfOthers stay, and hold up nothing of ours.
func TestFinalizersOfOthers(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a)
	change(f, record, func(r *v1alpha1.MachineRemediation) { r.Finalizers = append(r.Finalizers, keep) })
	f.reconcile(record)
	f.judge(a, metav1.ConditionTrue)
	f.reconcile(record)
	f.wantRecord(record, "Ended Ended RecoveredUnaided replace:NotBegun")
	got, _ := stored(f, record)
	if _, open := got.Labels[v1alpha1.OpenLabel]; open || !slices.Equal(got.Finalizers, []string{keep}) {
		t.Errorf("labels %v, finalizers %v", got.Labels, got.Finalizers)
	}
	f.writes.since()
	f.reconcile(record)
	remove(f, record)
	f.reconcile(record)
	if made := f.writes.since(); len(made) > 0 {
		t.Errorf("written: %q", made)
	}
}

// TestMachineOfAnotherAPI is not touched: it is not for this controller.
func TestMachineOfAnotherAPI(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	record := f.admit(f.sick("a"), func(s *v1alpha1.MachineRemediationSpec) {
		s.MachineRef.APIGroup, s.ClusterName = "machine.openshift.io", ""
	})
	if after := f.reconcile(record); after != 0 {
		t.Errorf("looks again after %s", after)
	}
	f.wantStanding()
	f.wantRecord(record, " ")
}
