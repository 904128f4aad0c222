package admission

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// annotationAsks makes a record one that an annotation asked for, and that waits for a slot.
func annotationAsks(r *v1alpha1.MachineRemediation) {
	r.Spec.Finding, r.Spec.Grant = v1alpha1.RemediationFinding{}, 0
	r.Spec.RequestedBy = &v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByAnnotation, Name: "reboot.metal3.io"}
	r.Spec.Steps = []v1alpha1.RemediationStep{{Name: "reboot", Action: v1alpha1.ActionReboot}}
	r.Status = v1alpha1.MachineRemediationStatus{Phase: v1alpha1.RemediationPending, Attempt: 1, Step: "reboot", SlotWanted: true}
}

// TestSlotsForAnnotations: what annotations ask for gets the free slots, even while other repairs may not begin, and none while nobody knows how many
// there are.
func TestSlotsForAnnotations(t *testing.T) {
	later := func(r *v1alpha1.MachineRemediation) {
		r.CreationTimestamp = metav1.NewTime(ago(1))
	}
	for name, tt := range map[string]struct {
		check   []build.MachineHealthCheckOption
		failing bool
		want    []string
	}{
		"one slot":                   {[]build.MachineHealthCheckOption{maxInFlight("1")}, false, []string{"a"}},
		"two slots":                  {[]build.MachineHealthCheckOption{maxInFlight("2")}, false, []string{"a", "b"}},
		"another setting is wrong":   {[]build.MachineHealthCheckOption{maxInFlight("1"), build.TriggerIfAtMost(intstr.FromString("many"))}, false, []string{"a"}},
		"its plan does not exist":    {[]build.MachineHealthCheckOption{maxInFlight("1"), build.TemplateRef(v1alpha1.GroupVersion.WithKind("MachineRemediationTemplate"), "gone")}, false, nil},
		"the first grant has failed": {[]build.MachineHealthCheckOption{maxInFlight("1")}, true, []string{"b"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := facts(check(tt.check...), healthy("a"), healthy("b")).with(recordOf("a", annotationAsks), recordOf("b", annotationAsks, later))
			retry := now.Add(time.Minute)
			if tt.failing {
				f.Failures = map[types.UID]Failure{f.Targets[0].Machine.UID: {Count: 1, RetryAt: retry}}
			}
			d := Decide(f, now)
			var got []string
			for _, one := range d.Asked {
				got = append(got, one.Machine.Name)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("granted to %v, want %v", got, tt.want)
			}
			if tt.failing && !d.RecheckAt.Equal(retry) {
				t.Errorf("looks again at %s, want %s", d.RecheckAt, retry)
			}
		})
	}
}

// TestWhatStandsStillTakesNoSlot: a record that keeps a host off is open without slot and end, and one that waits for somebody has nothing at work. The
// repairs of other machines do not wait for them for weeks.
func TestWhatStandsStillTakesNoSlot(t *testing.T) {
	asked := func(r *v1alpha1.MachineRemediation) {
		r.Spec.Finding, r.Spec.Grant = v1alpha1.RemediationFinding{}, 0
		r.Spec.RequestedBy = &v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByAnnotation, Name: "reboot.metal3.io/PowerOff"}
		r.Spec.Steps = []v1alpha1.RemediationStep{{Name: "reboot", Action: v1alpha1.ActionReboot}}
		r.Status.Attempt, r.Status.Step = 1, "reboot"
	}
	for name, change := range map[string]recordOption{
		"it keeps the host off": func(r *v1alpha1.MachineRemediation) {
			asked(r)
			r.Spec.Steps[0].Until = v1alpha1.StepPowerOff
			at := metav1.NewTime(ago(1000))
			r.Status.Phase = v1alpha1.RemediationActing
			r.Status.Attempts = []v1alpha1.RemediationAttempt{{Number: 1, Step: "reboot", StartTime: &at, BeganAt: &at, ObjectRef: &v1alpha1.RemediationObjectReference{}}}
		},
		"a person keeps the host": func(r *v1alpha1.MachineRemediation) {
			asked(r)
			r.Status.Phase = v1alpha1.RemediationPending
			r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionProgressing, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonRemediationHeldByOthers}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := facts(check(maxInFlight("1")), healthy("a"), sick("b")).with(recordOf("a", change))
			if got := f.inFlight(now); len(got) > 0 {
				t.Errorf("with max-in-flight 1, %v takes the only slot for as long as that lasts", got)
			}
		})
	}
}
