package admission

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// unhealthy are counts of so many unhealthy Machines, for certain.
func unhealthy(n int) Counts { return Counts{Expected: n, Sick: n} }

// TestAlwaysOpen: only a limit that no number of Machines exceeds is always open. Any other would let a storm pass.
func TestAlwaysOpen(t *testing.T) {
	for name, tt := range map[string]struct {
		limit   *intstr.IntOrString
		inRange string
		want    bool
	}{
		"no limit":             {nil, "", true},
		"100%":                 {new(intstr.FromString("100%")), "", true},
		"more than 100%":       {new(intstr.FromString("101%")), "", true},
		"99%":                  {new(intstr.FromString("99%")), "", false},
		"100, not in percent":  {new(intstr.FromString("100")), "", false},
		"a number":             {new(intstr.FromInt32(100)), "", false},
		"less than nothing":    {new(intstr.FromString("-100%")), "", false},
		"what nobody can read": {new(intstr.FromString("lots")), "", false},
		"no number is above":   {new(intstr.FromInt32(mhcspec.MaxCount)), "", true},
		"099%":                 {new(intstr.FromString("099%")), "", false},
		"a range of all":       {nil, "[0-2147483647]", true},
		"a range beside 100%":  {new(intstr.FromString("100%")), "[0-1]", false},
	} {
		t.Run(name, func(t *testing.T) {
			mhc := check()
			mhc.Spec.Remediation.TriggerIf = clusterv1.MachineHealthCheckRemediationTriggerIf{UnhealthyLessThanOrEqualTo: tt.limit, UnhealthyInRange: tt.inRange}
			if got := AlwaysOpen(mhc); got != tt.want {
				t.Fatalf("got %t", got)
			}
			for expected := range 300 {
				gate, err := newGate(mhc.Spec.Remediation.TriggerIf, expected)
				if tt.want && (err != nil || !gate.allows(unhealthy(expected), true)) {
					t.Errorf("%d unhealthy machines close it: %v", expected, err)
				}
			}
		})
	}
}

// TestGateClosed: an act is held back by what holds back an admission, but for the lower bound, which counts for the first step of a record only.
func TestGateClosed(t *testing.T) {
	const two = "2 of 3 machines not healthy (2 sick), "
	tests := map[string]struct {
		opt            build.MachineHealthCheckOption
		first, further string
	}{
		"within the range": {build.TriggerIfInRange("[2-3]"), "", ""},
		"below the range":  {build.TriggerIfInRange("[3-3]"), two + "outside of the range [3-3]", ""},
		"above the range":  {build.TriggerIfInRange("[0-1]"), two + "outside of the range [0-1]", two + "outside of the range [0-1]"},
		"what nobody can read": {
			build.TriggerIfInRange("[3-2]"),
			`spec.remediation.triggerIf.unhealthyInRange is "[3-2]": its first number must not be above its second`,
			`spec.remediation.triggerIf.unhealthyInRange is "[3-2]": its first number must not be above its second`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := facts(check(tt.opt), sick("a"), sick("b"), healthy("c"))
			if first, further := GateClosed(f, true), GateClosed(f, false); first != tt.first || further != tt.further {
				t.Errorf("for the first step %q, for a further one %q, want %q and %q", first, further, tt.first, tt.further)
			}
		})
	}
}
