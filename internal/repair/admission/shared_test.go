package admission

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestBegunGoesOnForAnother: a MachineHealthCheck gives a slot to what it has begun, although only another one finds the machine sick by now: nobody else
// would.
func TestBegunGoesOnForAnother(t *testing.T) {
	for name, tt := range map[string]struct {
		record recordOption
		other  string
		want   []string
	}{
		"a step has begun":                      {tried, "", []string{"m: grant"}},
		"nobody has begun anything":             {waitsFor(0), "", nil},
		"a step has begun for the other one":    {tried, "other", nil},
		"a step has begun, and it has its slot": {func(r *v1alpha1.MachineRemediation) { tried(r); r.Spec.Grant++ }, "", nil},
	} {
		m := sick("m")
		m.Shared = &Shared{Part: &metav1.Condition{Status: metav1.ConditionTrue}, Other: tt.other}
		d := Decide(facts(check(maxInFlight("1")), m).with(recordOf("m", tt.record)), now)
		if diff := cmp.Diff(tt.want, admitted(d)); diff != "" {
			t.Errorf("%s: admitted (-want +got):\n%s", name, diff)
		}
		if len(d.Waiting) > 0 {
			t.Errorf("%s: %q wait", name, waiting(d))
		}
	}
}
