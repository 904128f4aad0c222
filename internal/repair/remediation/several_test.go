package remediation

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// ofOther has another MachineHealthCheck admit a machine.
func ofOther(s *v1alpha1.MachineRemediationSpec) { s.HealthCheckRef.Name = "other" }

// TestSeveral: a record of one of two MachineHealthChecks that select its machine goes on under the settings of its own. It ends where the other one
// comes to lead and nobody has begun anything.
func TestSeveral(t *testing.T) {
	t.Parallel()
	holds := func(f *harness, mhc *clusterv1.MachineHealthCheck) {
		annotate(f, mhc, mhcspec.HoldUntilAnnotation, f.clock.Now().Add(time.Hour).Format(time.RFC3339))
	}
	const handedOver = "Ended Ended HandedOver"
	type row struct {
		opts   []recordOption
		change func(f *harness, other *clusterv1.MachineHealthCheck)
		want   string
	}
	rows(t, map[string]row{
		"of the older one":                          {nil, func(*harness, *clusterv1.MachineHealthCheck) {}, acting},
		"of the older one, which is held":           {nil, func(f *harness, _ *clusterv1.MachineHealthCheck) { holds(f, f.mhc) }, handedOver},
		"of the older one, both are held":           {nil, func(f *harness, other *clusterv1.MachineHealthCheck) { holds(f, f.mhc); holds(f, other) }, "Pending OnHold"},
		"of the older one, the younger one is held": {nil, func(f *harness, other *clusterv1.MachineHealthCheck) { holds(f, other) }, acting},
		"of the older one, the younger one is paused": {nil, func(f *harness, other *clusterv1.MachineHealthCheck) {
			annotate(f, other, clusterv1.PausedAnnotation, "")
		}, acting},
		"of the younger one":                          {[]recordOption{ofOther}, func(*harness, *clusterv1.MachineHealthCheck) {}, handedOver},
		"of the younger one, the older one is held":   {[]recordOption{ofOther}, func(f *harness, _ *clusterv1.MachineHealthCheck) { holds(f, f.mhc) }, acting},
		"of the younger one, the older one is paused": {[]recordOption{ofOther}, func(f *harness, _ *clusterv1.MachineHealthCheck) { annotate(f, f.mhc, clusterv1.PausedAnnotation, "") }, acting},
		"of the younger one, which selects it no more": {[]recordOption{ofOther}, func(f *harness, other *clusterv1.MachineHealthCheck) {
			change(f, other, func(m *clusterv1.MachineHealthCheck) { m.Spec.Selector.MatchLabels = map[string]string{"x": "y"} })
		}, acting},
		"of the younger one, for which another controller is responsible": {[]recordOption{ofOther}, func(f *harness, _ *clusterv1.MachineHealthCheck) {
			f.Policy.Adopt = mhcspec.AdoptHandedOver
			annotate(f, f.mhc, clusterv1.PausedAnnotation, mhcspec.HandedOverValue)
		}, handedBack},
	}, func(t *testing.T, tt row) {
		t.Helper()
		f := newHarness(t)
		other := build.MachineHealthCheck(f.ns, "other")
		build.Create(t.Context(), t, f.env.Client, other)
		record := f.admit(f.sick("a"), tt.opts...)
		tt.change(f, other)
		f.reconcile(record)
		f.wantRecord(record, tt.want)
	})
}

// TestSeveralBegun: what somebody has begun is finished by its own record, and a mark that nobody has answered is withdrawn first.
func TestSeveralBegun(t *testing.T) {
	t.Parallel()
	for begun, want := range map[bool]string{true: "Acting Paused replace:-", false: "Ended Ended HandedOver replace:NotBegun"} {
		f := newHarness(t)
		build.Create(t.Context(), t, f.env.Client, build.MachineHealthCheck(f.ns, "other"))
		a := f.sick("a", build.Finalizer(keep))
		record := f.admit(a)
		f.reconcile(record)
		f.wantStanding("a: mark")
		if begun {
			f.answer(a, clusterv1.MachineSetMachineRemediationMachineDeletingReason, "")
			remove(f, a)
			f.pass(time.Minute)
			f.reconcile(record)
		}
		annotate(f, f.mhc, clusterv1.PausedAnnotation, "")
		f.reconcile(record)
		f.wantRecord(record, want)
	}
}

// TestSeveralFinding: who begins a repair finds the machine sick by their own rules now; what has begun goes on for any finding.
func TestSeveralFinding(t *testing.T) {
	t.Parallel()
	f := newHarness(t, build.Annotation(mhcspec.DryRunAnnotation, "true"))
	build.Create(t.Context(), t, f.env.Client,
		build.MachineHealthCheck(f.ns, "other", build.UnhealthyMachineCondition("Disk", metav1.ConditionFalse, 0), build.NodeStartupTimeout(0)))
	f.nodes.Put(f.clusterKey(), build.Node("a"))
	a := f.sick("a", build.Annotation(clusterv1.RemediateMachineAnnotation, ""))
	record := f.admit(a, ofOther)
	change(f, a, func(m *clusterv1.Machine) { m.Annotations = nil })
	f.reconcile(record)
	f.wantRecord(record, "Ended Ended HandedOver")
	changeStatus(f, a, func(m *clusterv1.Machine) {
		setCondition(m, metav1.Condition{Type: "Disk", Status: metav1.ConditionFalse, Reason: "Broken"})
	})
	record = f.admitAgain(a, 2, ofOther)
	f.reconcile(record)
	f.wantRecord(record, acting)
}

// TestManagerSeveral: the older of two health checks finds a machine sick and waits for a person. When its gate closes, because of a machine that the
// younger one does not select, the younger one repairs the shared machine, and events alone lead to that.
func TestManagerSeveral(t *testing.T) {
	t.Parallel()
	r := newRunning(t, build.TriggerIfAtMost(intstr.FromInt32(1)), build.TemplateRef(v1alpha1.GroupVersion.WithKind("MachineRemediationTemplate"), "plan"))
	r.storePlan([]v1alpha1.RemediationStep{step(v1alpha1.ActionReboot, func(s *v1alpha1.RemediationStep) { s.Approval = v1alpha1.ApprovalRequired })})
	build.Create(t.Context(), t, r.env.Client, build.MachineHealthCheck(r.ns, "other",
		build.Selector(map[string]string{"pool": "shared"}), build.UnhealthyMachineCondition("Disk", metav1.ConditionFalse, 0)))
	a, b := r.well("a", build.Label("pool", "shared")), r.well("b")
	r.disk(a, metav1.ConditionFalse)
	r.Eventually(r.says("a")).Should(Equal("Pending ApprovalRequired"))
	r.Consistently(r.says("a")).WithTimeout(200 * time.Millisecond).Should(Equal("Pending ApprovalRequired"))
	r.disk(b, metav1.ConditionFalse)
	r.Eventually(r.says("a")).Should(Equal("Acting Acting replace:-; Ended Ended HandedOver"))
	r.Eventually(r.asked).Should(Equal([]string{"a: mark"}))
	if got, _ := stored(r.harness, a); verdict.Of(got).Message != "Machine condition Disk is False for more than 0s" {
		t.Errorf("both say the same, and the verdict says %q", verdict.Of(got).Message)
	}
}

// TestSeveralInTime: the older one comes to lead by time alone, since a pause of it has ended, and nothing changes but the clock.
func TestSeveralInTime(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	annotate(f, f.mhc, mhcspec.ResumedAtAnnotation, f.clock.Now().Format(time.RFC3339))
	disk := build.UnhealthyMachineCondition("Disk", metav1.ConditionFalse, 5*time.Minute)
	change(f, f.mhc, func(m *clusterv1.MachineHealthCheck) {
		m.Spec.Checks = build.MachineHealthCheck(f.ns, "", disk).Spec.Checks
	})
	build.Create(t.Context(), t, f.env.Client, build.MachineHealthCheck(f.ns, "other", disk))
	f.nodes.Put(f.clusterKey(), build.Node("a"))
	a := f.sick("a", build.Condition("Disk", metav1.ConditionFalse, "Broken", f.clock.Now().Add(-10*time.Minute)))
	record := f.admit(a, ofOther, by(step(v1alpha1.ActionReboot, func(s *v1alpha1.RemediationStep) { s.Approval = v1alpha1.ApprovalRequired })))
	after := f.reconcile(record)
	f.wantRecord(record, "Pending ApprovalRequired")
	if after == 0 || after > 5*time.Minute {
		t.Errorf("it is looked at again after %s", after)
	}
	f.pass(5 * time.Minute)
	f.reconcile(record)
	f.wantRecord(record, "Ended Ended HandedOver")
}

// TestSeveralHandedOverMeanwhile: while the cache shows the older one as another controller's, it is handed over. The record still goes by its own
// MachineHealthCheck, which is in dry-run.
func TestSeveralHandedOverMeanwhile(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.Policy.Adopt = mhcspec.AdoptHandedOver
	build.Create(t.Context(), t, f.env.Client, build.MachineHealthCheck(f.ns, "other",
		build.Annotation(clusterv1.PausedAnnotation, mhcspec.HandedOverValue), build.Annotation(mhcspec.DryRunAnnotation, "true")))
	record := f.admit(f.sick("a"), ofOther)
	f.freeze(record)
	annotate(f, f.mhc, clusterv1.PausedAnnotation, mhcspec.HandedOverValue)
	if _, err := f.once(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	f.wantStanding()
}

// TestSeveralDryRunFinding: a dry-run does nothing, so what only it finds has nobody go on with a repair that has begun.
func TestSeveralDryRunFinding(t *testing.T) {
	t.Parallel()
	for dryRun, want := range map[string][]string{"true": nil, "false": {"a: mark"}} {
		f := newHarness(t, build.Annotation(mhcspec.DryRunAnnotation, dryRun), build.UnhealthyMachineCondition("Fan", metav1.ConditionFalse, 0))
		other := build.MachineHealthCheck(f.ns, "other", build.UnhealthyMachineCondition("Disk", metav1.ConditionFalse, 0))
		build.Create(t.Context(), t, f.env.Client, other)
		f.nodes.Put(f.clusterKey(), build.Node("a"))
		broken := func(what string) build.MachineOption {
			return build.Condition(what, metav1.ConditionFalse, "Broken", f.clock.Now().Add(-10*time.Minute))
		}
		a := f.sick("a", broken("Disk"), broken("Fan"))
		annotate(f, f.mhc, mhcspec.HoldUntilAnnotation, f.clock.Now().Add(time.Minute).Format(time.RFC3339))
		record := f.admit(a, ofOther, by(step(v1alpha1.ActionReboot), step(v1alpha1.ActionReplace)))
		f.reconcile(record)
		f.cycleBegins(record)
		f.reconcile(record)
		changeStatus(f, a, func(m *clusterv1.Machine) {
			setCondition(m, metav1.Condition{Type: "Disk", Status: metav1.ConditionTrue, Reason: "Fine"})
		})
		f.pass(10 * time.Minute)
		f.reconcile(record)
		f.pass(time.Minute)
		f.reconcile(record)
		f.grant(record)
		f.reconcile(record)
		f.wantStanding(want...)
	}
}

// TestSeveralOnlyDryRunLeft: what was asked for is withdrawn when only a dry-run finds the machine sick any more.
func TestSeveralOnlyDryRunLeft(t *testing.T) {
	t.Parallel()
	f := newHarness(t, build.Annotation(mhcspec.DryRunAnnotation, "true"), build.UnhealthyMachineCondition("Fan", metav1.ConditionFalse, 0))
	build.Create(t.Context(), t, f.env.Client, build.MachineHealthCheck(f.ns, "other", build.UnhealthyMachineCondition("Disk", metav1.ConditionFalse, 0)))
	f.nodes.Put(f.clusterKey(), build.Node("a"))
	broken := func(what string) build.MachineOption {
		return build.Condition(what, metav1.ConditionFalse, "Broken", f.clock.Now().Add(-10*time.Minute))
	}
	a := f.sick("a", broken("Disk"), broken("Fan"))
	record := f.admit(a, ofOther)
	f.reconcile(record)
	f.wantStanding("a: mark")
	changeStatus(f, a, func(m *clusterv1.Machine) {
		setCondition(m, metav1.Condition{Type: "Disk", Status: metav1.ConditionTrue, Reason: "Fine"})
	})
	f.reconcile(record)
	f.wantStanding()
	f.wantRecord(record, "Ended Ended HandedOver replace:NotBegun")
}

// TestSeveralUnjudged: while nobody judges a machine, its verdict stays, however its Node is, and no MachineHealthCheck hands its record over.
func TestSeveralUnjudged(t *testing.T) {
	t.Parallel()
	for name, pause := range map[string]func(f *harness, machine *clusterv1.Machine, other *clusterv1.MachineHealthCheck){
		"the Cluster is paused": func(f *harness, _ *clusterv1.Machine, _ *clusterv1.MachineHealthCheck) {
			change(f, f.cluster, func(c *clusterv1.Cluster) { c.Spec.Paused = new(true) })
		},
		"the Machine is paused": func(f *harness, machine *clusterv1.Machine, _ *clusterv1.MachineHealthCheck) {
			annotate(f, machine, clusterv1.PausedAnnotation, "")
		},
		"both MachineHealthChecks are paused": func(f *harness, _ *clusterv1.Machine, other *clusterv1.MachineHealthCheck) {
			annotate(f, f.mhc, clusterv1.PausedAnnotation, "")
			annotate(f, other, clusterv1.PausedAnnotation, "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t)
			other := build.MachineHealthCheck(f.ns, "other")
			build.Create(t.Context(), t, f.env.Client, other)
			a := f.sick("a")
			record := f.admit(a)
			f.reconcile(record)
			pause(f, a, other)
			f.reconcile(record)
			f.wantRecord(record, "Pending Paused replace:NotBegun")
			f.nodes.Put(f.clusterKey(), build.Node("a"))
			f.reconcile(record)
			f.wantRecord(record, "Pending Paused replace:NotBegun")
		})
	}
}

// TestSeveralNextMark: a mark that nobody has answered is withdrawn while only a dry-run finds the machine sick, also after a step that had begun, and if
// the record's own MachineHealthCheck waits for its timeout again. When that finds it sick, the record goes on.
func TestSeveralNextMark(t *testing.T) {
	t.Parallel()
	reboot, replace := step(v1alpha1.ActionReboot), step(v1alpha1.ActionReplace)
	fine, broken := metav1.ConditionTrue, metav1.ConditionFalse
	type row struct {
		steps []v1alpha1.RemediationStep
		disk  metav1.ConditionStatus
		want  string
	}
	rows(t, map[string]row{
		"after a power cycle, and it is healthy":      {[]v1alpha1.RemediationStep{reboot, replace}, fine, "Pending Paused reboot:TimedOut replace:NotBegun"},
		"after a power cycle, and it may be sick":     {[]v1alpha1.RemediationStep{reboot, replace}, broken, "Pending Paused reboot:TimedOut replace:NotBegun"},
		"the first step, and the machine may be sick": {[]v1alpha1.RemediationStep{replace}, broken, "Pending Paused replace:NotBegun"},
	}, func(t *testing.T, tt row) {
		t.Helper()
		f := newHarness(t, build.Annotation(mhcspec.DryRunAnnotation, "true"), build.UnhealthyMachineCondition("Fan", broken, 0))
		build.Create(t.Context(), t, f.env.Client, build.MachineHealthCheck(f.ns, "other", build.UnhealthyMachineCondition("Disk", broken, 5*time.Minute)))
		f.nodes.Put(f.clusterKey(), build.Node("a"))
		since := f.clock.Now().Add(-10 * time.Minute)
		a := f.sick("a", build.Condition("Disk", broken, "Broken", since), build.Condition("Fan", broken, "Broken", since))
		record := f.admit(a, ofOther, by(tt.steps...))
		f.reconcile(record)
		if len(tt.steps) > 1 {
			f.cycleBegins(record)
			f.reconcile(record)
			f.again(record, 10*time.Minute)
		}
		f.wantStanding("a: mark")
		changeStatus(f, a, func(m *clusterv1.Machine) {
			setCondition(m, metav1.Condition{Type: "Disk", Status: tt.disk, Reason: "New", LastTransitionTime: metav1.NewTime(f.clock.Now())})
		})
		after := f.reconcile(record)
		f.wantStanding()
		f.wantRecord(record, tt.want)
		if tt.disk == broken && (after == 0 || after > 5*time.Minute) {
			t.Errorf("it is looked at again after %s", after)
		}
		changeStatus(f, a, func(m *clusterv1.Machine) {
			setCondition(m, metav1.Condition{Type: "Disk", Status: broken, Reason: "Broken", LastTransitionTime: metav1.NewTime(since)})
		})
		f.again(record, 5*time.Minute)
		f.wantStanding("a: mark")
	})
}

// TestSeveralApproval: an approval outlasts an attempt that nobody began, though the verdict says first what an older MachineHealthCheck finds that only
// reports.
func TestSeveralApproval(t *testing.T) {
	t.Parallel()
	f := newHarness(t, build.Annotation(mhcspec.DryRunAnnotation, "true"), build.UnhealthyMachineCondition("Fan", metav1.ConditionFalse, 0))
	build.Create(t.Context(), t, f.env.Client, build.MachineHealthCheck(f.ns, "other",
		build.UnhealthyMachineCondition("Disk", metav1.ConditionFalse, 0), build.Annotation(mhcspec.MaxInFlightAnnotation, "1")))
	f.nodes.Put(f.clusterKey(), build.Node("a"))
	since := f.clock.Now().Add(-10 * time.Minute)
	a := f.sick("a", build.Condition("Disk", metav1.ConditionFalse, "Broken", since), build.Condition("Fan", metav1.ConditionFalse, "Broken", since))
	changeStatus(f, a, func(m *clusterv1.Machine) {
		c := verdict.Of(m)
		c.Reason = "FanUnhealthy"
		setCondition(m, c)
	})
	record := f.admit(a, ofOther, func(s *v1alpha1.MachineRemediationSpec) { s.Finding.Reason = "DiskUnhealthy" },
		by(step(v1alpha1.ActionReplace, func(s *v1alpha1.RemediationStep) { s.Approval = v1alpha1.ApprovalRequired })))
	change(f, record, func(r *v1alpha1.MachineRemediation) {
		r.Spec.Decision = &v1alpha1.RemediationDecision{Attempt: 1, Answer: v1alpha1.AnswerApprove}
	})
	f.reconcile(record)
	f.wantStanding("a: mark")
	f.pass(10 * time.Minute)
	f.reconcile(record)
	f.wantRecord(record, "Pending Backoff replace:NotBegun")
	got, _ := stored(f, record)
	if last := ladder.Last(&got.Status); last.Decision == nil {
		t.Error("the approval is forgotten")
	}
	seen, err := LookLive(t.Context(), f.Live, f.Policy, f.clock, got)
	if err != nil || seen.Facts.Machine.OtherFinding {
		t.Errorf("a person sees another finding: %t, %v", seen.Facts.Machine.OtherFinding, err)
	}
}

// TestSeveralRules: before each step, the rules of a plan see what the record's own MachineHealthCheck finds.
func TestSeveralRules(t *testing.T) {
	t.Parallel()
	f := newHarness(t, build.Annotation(mhcspec.DryRunAnnotation, "true"))
	build.Create(t.Context(), t, f.env.Client, build.MachineHealthCheck(f.ns, "other",
		build.NodeStartupTimeout(0), build.UnhealthyMachineCondition("Disk", metav1.ConditionFalse, 0)))
	a := f.sick("a", build.Condition("Disk", metav1.ConditionFalse, "Broken", f.clock.Now().Add(-10*time.Minute)))
	f.nodes.Put(f.clusterKey(), build.Node("a"))
	reason := "f.reason == '" + verdict.Of(a).Reason + "'"
	plan := f.storePlan(ladderOfThree, v1alpha1.RemediationRule{Name: "others", Expression: "findings.exists(f, " + reason + ")", StartAt: "hold"},
		v1alpha1.RemediationRule{Name: "own", Expression: "findings.exists(f, f.type == 'Disk')", StartAt: "reboot"})
	record := f.admit(a, ofOther, follows(plan))
	f.reconcile(record)
	f.wantRecord(record, "Acting Acting reboot:-")
}

// again lets time pass, and gives a record the slot that it wants.
func (f *harness) again(record *v1alpha1.MachineRemediation, after time.Duration) {
	f.t.Helper()
	f.pass(after)
	f.reconcile(record)
	f.pass(time.Minute)
	f.reconcile(record)
	f.grant(record)
	f.reconcile(record)
}
