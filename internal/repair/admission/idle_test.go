package admission

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestWhatHoldsASickMachineBack has a case for each thing that holds a sick machine back.
func TestWhatHoldsASickMachineBack(t *testing.T) {
	phase := func(phase v1alpha1.RemediationPhase, reason string) recordOption {
		return func(r *v1alpha1.MachineRemediation) {
			r.Status.Phase, r.Status.ReleasedGrant = phase, r.Spec.Grant
			r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionProgressing, Reason: reason}}
		}
	}
	paused := build.Annotation(clusterv1.PausedAnnotation, "")
	tests := map[string]struct {
		mhc     *clusterv1.MachineHealthCheck
		targets []Target
		records []*v1alpha1.MachineRemediation
		want    map[string]string
	}{
		"none sick":          {mhc: check(), targets: []Target{healthy("a"), pending("b")}},
		"about to be":        {mhc: check(), targets: []Target{sick("a")}},
		"under repair":       {mhc: check(), targets: []Target{sick("a")}, records: []*v1alpha1.MachineRemediation{recordOf("a")}},
		"the gate is closed": {mhc: check(build.TriggerIfAtMost(intstr.FromInt32(1))), targets: []Target{sick("a"), longSick("b")}, want: map[string]string{"GateClosed": "2 for 1h0m0s"}},
		"no slot":            {mhc: check(maxInFlight("1")), targets: []Target{longSick("a"), sick("b")}, want: map[string]string{"NoSlot": "1 for 1m0s"}},
		"paused":             {mhc: check(paused), targets: []Target{longSick("a")}, want: map[string]string{"Paused": "1 for 1h0m0s"}},
		"it only tells":      {mhc: check(build.Annotation(mhcspec.DryRunAnnotation, "true")), targets: []Target{longSick("a")}, want: map[string]string{"DryRun": "1 for 1h0m0s"}},
		"a person decides": {
			mhc: check(), targets: []Target{longSick("a")}, records: []*v1alpha1.MachineRemediation{recordOf("a", phase(v1alpha1.RemediationHeld, "NoStepLeft"))},
			want: map[string]string{"Held": "1 for 1h0m0s"},
		},
		"approval": {
			mhc: check(), targets: []Target{longSick("a")}, records: []*v1alpha1.MachineRemediation{recordOf("a", phase(v1alpha1.RemediationPending, "ApprovalRequired"))},
			want: map[string]string{"ApprovalRequired": "1 for 1h0m0s"},
		},
		"what the record says": {
			mhc: check(), targets: []Target{longSick("a")}, records: []*v1alpha1.MachineRemediation{recordOf("a", phase(v1alpha1.RemediationPending, "Undecided"))},
			want: map[string]string{"Undecided": "1 for 1h0m0s"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := facts(tt.mhc, tt.targets...)
			f.Records = tt.records
			var got map[string]string
			for reason, idle := range IdleBy(f, Decide(f, now), now) {
				if got == nil {
					got = map[string]string{}
				}
				got[reason] = fmt.Sprintf("%d for %s", idle.Count, now.Sub(idle.Since).Round(time.Minute))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("idle (-want +got):\n%s", diff)
			}
		})
	}
}
