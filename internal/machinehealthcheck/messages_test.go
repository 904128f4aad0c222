package machinehealthcheck

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestAllowedMessage: the numbers printed are the very ones compared.
func TestAllowedMessage(t *testing.T) {
	some := []Target{sick("a"), pending("b"), healthy("c", build.Deleting(now)), healthy("d"), healthy("e")}
	tests := map[string]struct {
		opts    []build.MachineHealthCheckOption
		targets []Target
		want    string
	}{
		"no limit":            {nil, some, "3 of 5 machines not healthy (1 sick, 1 undecided, 1 being deleted), no limit set"},
		"all healthy":         {nil, []Target{healthy("a")}, "0 of 1 machines not healthy, no limit set"},
		"no machines":         {nil, nil, "0 of 0 machines not healthy, no limit set"},
		"number, allowed":     {opts(build.TriggerIfAtMost(intstr.FromInt32(3))), some, "3 of 5 machines not healthy (1 sick, 1 undecided, 1 being deleted), at most 3 allowed"},
		"number, exceeded":    {opts(build.TriggerIfAtMost(intstr.FromInt32(2))), some, "3 of 5 machines not healthy (1 sick, 1 undecided, 1 being deleted), more than the 2 allowed"},
		"percent, allowed":    {opts(build.TriggerIfAtMost(intstr.FromString("70%"))), some, "3 of 5 machines not healthy (1 sick, 1 undecided, 1 being deleted), at most 3 (70%) allowed"},
		"percent, exceeded":   {opts(build.TriggerIfAtMost(intstr.FromString("50%"))), some, "3 of 5 machines not healthy (1 sick, 1 undecided, 1 being deleted), more than the 2 (50%) allowed"},
		"range, within":       {opts(build.TriggerIfInRange("[1-3]")), some, "3 of 5 machines not healthy (1 sick, 1 undecided, 1 being deleted), within the range [1-3]"},
		"range, above":        {opts(build.TriggerIfInRange("[1-2]")), some, "3 of 5 machines not healthy (1 sick, 1 undecided, 1 being deleted), outside of the range [1-2]"},
		"range, below":        {opts(build.TriggerIfInRange("[4-5]")), some, "3 of 5 machines not healthy (1 sick, 1 undecided, 1 being deleted), outside of the range [4-5]"},
		"budget":              {opts(maxInFlight("2")), some, "3 of 5 machines not healthy (1 sick, 1 undecided, 1 being deleted), no limit set; 1 of at most 2 remediations in flight"},
		"budget, not allowed": {opts(maxInFlight("2"), build.TriggerIfAtMost(intstr.FromInt32(0))), some, "3 of 5 machines not healthy (1 sick, 1 undecided, 1 being deleted), more than the 0 allowed"},
		"budget, overspent":   {opts(maxInFlight("1")), []Target{sick("a", marked(metav1.ConditionFalse)), sick("b", marked(metav1.ConditionFalse))}, "2 of 2 machines not healthy (2 sick), no limit set; 2 of at most 1 remediations in flight"},
		"two problems":        {opts(maxInFlight("0"), build.TriggerIfInRange("[2-1]")), some, `Nothing is remediated: annotation sickbay.dev/max-in-flight is "0": it must be a number of at least 1, or a percentage of at least 1%; spec.remediation.triggerIf.unhealthyInRange is "[2-1]": its first number must not be above its second`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := Decide(facts(check(tt.opts...), tt.targets...), now)
			if got := d.allowedMessage(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestNames(t *testing.T) {
	tests := map[string]struct {
		all  []string
		want string
	}{
		"none":     {nil, ""},
		"sorted":   {[]string{"b", "a"}, "a, b"},
		"ten":      {[]string{"j", "i", "h", "g", "f", "e", "d", "c", "b", "a"}, "a, b, c, d, e, f, g, h, i, j"},
		"too many": {[]string{"l", "k", "j", "i", "h", "g", "f", "e", "d", "c", "b", "a"}, "a, b, c, d, e, f, g, h, i, j and 2 more"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := names(tt.all); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestOverlapMessage(t *testing.T) {
	got := overlapMessage(map[string][]string{"z": {"m2", "m1"}, "a": {"m3"}})
	if want := "Selected machines that belong to an older MachineHealthCheck: a: m3; z: m1, m2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDryRunMessage(t *testing.T) {
	dryRun := build.Annotation(DryRunAnnotation, "true")
	tests := map[string]struct {
		opts    []build.MachineHealthCheckOption
		targets []Target
		want    string
	}{
		"nothing":           {opts(dryRun), []Target{healthy("a")}, "Nothing would be remediated"},
		"not allowed":       {opts(dryRun, build.TriggerIfAtMost(intstr.FromInt32(0))), []Target{sick("a")}, "Nothing would be remediated"},
		"each remedy":       {opts(dryRun), []Target{sick("b"), sick("a", orphan())}, "Would remediate a (delete), b (owner)"},
		"within the budget": {opts(dryRun, maxInFlight("1")), []Target{sick("b"), sick("a")}, "Would remediate a (owner)"},
		"withdrawal alone":  {opts(dryRun, byTemplate()), []Target{withRequest(healthy("a"))}, "Would withdraw the requests of a"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := Decide(facts(check(tt.opts...), tt.targets...), now)
			if got := d.dryRunMessage(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
