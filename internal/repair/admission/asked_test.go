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
