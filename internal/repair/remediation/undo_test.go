package remediation

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
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

// TestNothingHoldsUpTheDeletionOfACluster: in a Cluster that is being deleted only hosts are given back, and nothing holds the deletion up. The deletion may hang, so a drain
// takes everything back from a machine that is not being deleted.
func TestNothingHoldsUpTheDeletionOfACluster(t *testing.T) {
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

// TestSkipWhileTheOwnerCannotBeRead: a person says skip, on a Machine with an annotation of which nobody can say whether its owner's template has it. What
// has not begun is withdrawn all the same.
func TestSkipWhileTheOwnerCannotBeRead(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a)
	f.reconcile(record)
	f.wantStanding("a: mark")
	f.Live = f.refuses("MachineSet", apierrors.NewInternalError(errors.New("conversion webhook failed: connection refused")))
	annotate(f, a, rebootannotation.Request, "")
	annotate(f, a, clusterv1.MachineSkipRemediationAnnotation, "")
	f.reconcile(record)
	f.wantStanding("a: reboot")
	f.wantRecord(record, "Ended Ended HandedBack replace:NotBegun")
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
