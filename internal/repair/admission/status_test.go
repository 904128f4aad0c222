package admission

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func desired(f Facts) clusterv1.MachineHealthCheckStatus {
	return Status(f, Decide(f, now), metav1.NewTime(now))
}

func conditionTypes(status clusterv1.MachineHealthCheckStatus) []string {
	var list []string
	for _, c := range status.Conditions {
		list = append(list, c.Type)
	}
	slices.Sort(list)
	return list
}

// TestStatusConditions: the optional ones are there only while they have something to say.
func TestStatusConditions(t *testing.T) {
	stale := []build.MachineHealthCheckOption{
		build.Condition(ConditionOverlapping, metav1.ConditionTrue, ReasonNotHandedOver, build.Epoch),
		build.Condition(ConditionDryRun, metav1.ConditionTrue, ReasonDryRun, build.Epoch),
		build.Condition(ConditionTemplateAvailable, metav1.ConditionTrue, ReasonTemplateAvailable, build.Epoch),
	}
	tests := map[string]struct {
		opts      []build.MachineHealthCheckOption
		elsewhere map[string][]string
		want      []string
	}{
		"the usual":     {nil, nil, []string{ConditionPaused, ConditionRemediationAllowed}},
		"handed over":   {opts(handedOver()), nil, []string{ConditionRemediationAllowed}},
		"overlapping":   {nil, map[string][]string{"old": {"m"}}, []string{ConditionOverlapping, ConditionPaused, ConditionRemediationAllowed}},
		"dry-run":       {opts(build.Annotation(mhcspec.DryRunAnnotation, "true")), nil, []string{ConditionDryRun, ConditionPaused, ConditionRemediationAllowed}},
		"template":      {opts(byTemplate()), nil, []string{ConditionPaused, ConditionRemediationAllowed, ConditionTemplateAvailable}},
		"stale ones go": {stale, nil, []string{ConditionPaused, ConditionRemediationAllowed}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := facts(check(tt.opts...))
			f.Elsewhere = tt.elsewhere
			if diff := cmp.Diff(tt.want, conditionTypes(desired(f))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestStatusPaused(t *testing.T) {
	stored := build.MachineHealthCheckFunc(func(mhc *clusterv1.MachineHealthCheck) {
		mhc.Status.ExpectedMachines, mhc.Status.Targets, mhc.Status.ObservedGeneration = new(int32(9)), []string{"m"}, 1
	})
	f := facts(check(stored, build.Generation(2),
		build.Condition(ConditionRemediationAllowed, metav1.ConditionFalse, ReasonTooManyUnhealthy, build.Epoch),
		build.Condition("Foreign", metav1.ConditionTrue, "Foreign", build.Epoch)), sick("a"))
	f.Cluster.Spec.Paused = new(true)
	got := desired(f)
	if *got.ExpectedMachines != 9 || got.ObservedGeneration != 1 || len(got.Targets) != 1 {
		t.Errorf("status is %+v, want the stored one", got)
	}
	if diff := cmp.Diff([]string{ConditionPaused, ConditionRemediationAllowed}, conditionTypes(got)); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	paused := meta.FindStatusCondition(got.Conditions, ConditionPaused)
	want := metav1.Condition{
		Type: ConditionPaused, Status: metav1.ConditionTrue, Reason: ReasonPaused, ObservedGeneration: 2,
		Message: "Cluster spec.paused is set to true", LastTransitionTime: metav1.NewTime(now),
	}
	if diff := cmp.Diff(want, *paused); diff != "" {
		t.Errorf("Paused (-want +got):\n%s", diff)
	}
}

func TestStatusPausedHandedOver(t *testing.T) {
	f := facts(check(handedOver(), build.Condition(ConditionPaused, metav1.ConditionTrue, ReasonPaused, build.Epoch)))
	f.Cluster.Spec.Paused = new(true)
	if got := conditionTypes(desired(f)); len(got) > 0 {
		t.Errorf("we would write %v, but Paused is not ours", got)
	}
}

func TestStatusTransitionTimes(t *testing.T) {
	tests := map[string]struct {
		stored metav1.ConditionStatus
		want   time.Time
	}{
		"same status: kept":     {metav1.ConditionTrue, build.Epoch},
		"another status: now":   {metav1.ConditionFalse, now},
		"no condition yet: now": {"", now},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			mhc := check()
			if tt.stored != "" {
				mhc = check(build.Condition(ConditionRemediationAllowed, tt.stored, "Another", build.Epoch))
			}
			got := meta.FindStatusCondition(desired(facts(mhc)).Conditions, ConditionRemediationAllowed)
			if !got.LastTransitionTime.Time.Equal(tt.want) {
				t.Errorf("transition time is %s, want %s", got.LastTransitionTime, tt.want)
			}
		})
	}
}

func TestAllowedReasons(t *testing.T) {
	tests := map[string]struct {
		opts    []build.MachineHealthCheckOption
		targets []Target
		want    string
	}{
		"allowed":                  {nil, []Target{sick("a")}, ReasonRemediationAllowed},
		"too many":                 {opts(build.TriggerIfAtMost(intstr.FromInt32(0))), []Target{sick("a")}, ReasonTooManyUnhealthy},
		"too many, none sick":      {opts(build.TriggerIfAtMost(intstr.FromInt32(0))), []Target{pending("a")}, ReasonNoneSick},
		"above the range":          {opts(build.TriggerIfInRange("[0-0]")), []Target{sick("a")}, ReasonTooManyUnhealthy},
		"below the range":          {opts(build.TriggerIfInRange("[2-3]")), []Target{sick("a")}, ReasonTooFewUnhealthy},
		"below the range, no sick": {opts(build.TriggerIfInRange("[2-3]")), []Target{healthy("a")}, ReasonNoneSick},
		"invalid":                  {opts(maxInFlight("lots")), []Target{sick("a")}, ReasonInvalidConfiguration},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := allowedCondition(Decide(facts(check(tt.opts...), tt.targets...), now)); got.Reason != tt.want {
				t.Errorf("reason is %s, want %s", got.Reason, tt.want)
			}
		})
	}
}

func TestTemplateCondition(t *testing.T) {
	if c := templateCondition(Template{}); c.Status != metav1.ConditionTrue || c.Reason != ReasonTemplateAvailable {
		t.Errorf("found: got %+v", c)
	}
	if c := templateCondition(Template{Missing: "it is gone"}); c.Status != metav1.ConditionFalse || c.Reason != ReasonTemplateNotFound || c.Message != "it is gone" {
		t.Errorf("missing: got %+v", c)
	}
}

func TestUrgent(t *testing.T) {
	before := facts(check(build.TriggerIfAtMost(intstr.FromInt32(2))), sick("a"), healthy("b"), healthy("c"), healthy("d"))
	stored := before.MachineHealthCheck.DeepCopy()
	stored.Status = desired(before)
	with := func(all ...Target) clusterv1.MachineHealthCheckStatus {
		f := before
		f.MachineHealthCheck, f.Targets = stored, all
		return desired(f)
	}
	if Urgent(stored, with(sick("a"), sick("b"), healthy("c"), healthy("d"))) {
		t.Error("another number is urgent")
	}
	if !Urgent(stored, with(sick("a"), sick("b"), sick("c"), healthy("d"))) {
		t.Error("it is not urgent that remediation is restricted")
	}
	gone := with(sick("a"))
	gone.Conditions = gone.Conditions[1:]
	if !Urgent(stored, gone) {
		t.Error("it is not urgent that a condition goes")
	}
	newer := with(sick("a"))
	newer.ObservedGeneration++
	if !Urgent(stored, newer) {
		t.Error("it is not urgent that the spec is another")
	}
	none := stored.DeepCopy()
	none.Status.Conditions = nil
	if !Urgent(none, with(sick("a"))) {
		t.Error("it is not urgent that a condition comes")
	}
}
