package ask_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake/ask"
)

// TestRequestUntil: a person asks by a RebootRemediation that stops after a step, and keeps the host off. So does its record: that person goes to the
// host, and it must not come on.
func TestRequestUntil(t *testing.T) {
	for _, until := range []v1alpha1.Step{v1alpha1.StepPowerOff, v1alpha1.StepDelete} {
		asked := request("reboot-m", func(r *v1alpha1.RebootRemediation) {
			r.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson, Name: "ann"}
			r.Spec.RetryLimit, r.Spec.Until = new(int32(0)), until
		})
		got := text(ask.Decide(ask.Facts{Machine: machine(), Requests: []*v1alpha1.RebootRemediation{asked}}, now))
		if diff := cmp.Diff("Make for Request reboot-m: Reboot x1 1h25m0s "+string(until), got); diff != "" {
			t.Errorf("decision (-want +got):\n%s", diff)
		}
	}
}
