package admission

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// blocked has given its slot back and wants none.
func blocked(phase v1alpha1.RemediationPhase, reason string) recordOption {
	return func(r *v1alpha1.MachineRemediation) {
		r.Status.Phase, r.Status.ReleasedGrant = phase, r.Spec.Grant
		r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionProgressing, Reason: reason}}
	}
}

// TestAllowedMessage: the numbers printed are the very ones compared.
func TestAllowedMessage(t *testing.T) {
	const three = "3 of 5 machines not healthy (1 sick, 1 undecided, 1 being deleted), "
	some := facts(check(), sick("a"), pending("b"), healthy("c", build.Deleting(now)), healthy("d"), healthy("e"))
	two := facts(check(), sick("a"), sick("b"))
	var many Facts
	for _, letter := range "abcdefghijklm" {
		many.Targets = append(many.Targets, sick(string(letter)))
	}
	many.Cluster = some.Cluster
	atMost := func(value string) build.MachineHealthCheckOption { return build.TriggerIfAtMost(intstr.Parse(value)) }
	tests := map[string]struct {
		opts  []build.MachineHealthCheckOption
		facts Facts
		want  string
	}{
		"no limit":             {nil, some, three + "no limit set"},
		"all healthy":          {nil, facts(check(), healthy("a")), "0 of 1 machines not healthy, no limit set"},
		"no machines":          {nil, facts(check()), "0 of 0 machines not healthy, no limit set"},
		"number, allowed":      {opts(atMost("3")), some, three + "at most 3 allowed"},
		"number, exceeded":     {opts(atMost("2")), some, three + "more than the 2 allowed; 1 is held back: a"},
		"percent, allowed":     {opts(atMost("70%")), some, three + "at most 3 (70%) allowed"},
		"percent, exceeded":    {opts(atMost("50%")), some, three + "more than the 2 (50%) allowed; 1 is held back: a"},
		"range, within":        {opts(build.TriggerIfInRange("[1-3]")), some, three + "within the range [1-3]"},
		"range, above":         {opts(build.TriggerIfInRange("[1-2]")), some, three + "outside of the range [1-2]; 1 is held back: a"},
		"range, below":         {opts(build.TriggerIfInRange("[4-5]")), some, three + "outside of the range [4-5]; 1 is held back: a"},
		"range, unconfirmed":   {opts(build.TriggerIfInRange("[3-5]")), facts(check(), sick("a"), sick("b"), seen(target("c"), metav1.ConditionTrue)), "3 of 3 machines not healthy (2 sick, 1 unconfirmed), and without the unconfirmed 2, outside of the range [3-5]; 2 are held back: a, b"},
		"budget":               {opts(maxInFlight("2")), some, three + "no limit set; 1 of at most 2 repairs in flight"},
		"budget, not allowed":  {opts(maxInFlight("2"), atMost("0")), some, three + "more than the 0 allowed; 1 is held back: a"},
		"budget, overspent":    {opts(maxInFlight("1")), two.with(recordOf("a"), recordOf("b")), "2 of 2 machines not healthy (2 sick), no limit set; 2 of at most 1 repairs in flight"},
		"who holds the budget": {opts(maxInFlight("1")), two.with(recordOf("a")), "2 of 2 machines not healthy (2 sick), no limit set; 1 of at most 1 repairs in flight: a; 1 waits for a slot: b"},
		"who is gone, holds it": {
			opts(maxInFlight("1")), two.with(recordOf("gone")),
			"2 of 2 machines not healthy (2 sick), no limit set; 1 of at most 1 repairs in flight: gone; 2 wait for a slot: a, b",
		},
		"many wait, in their order": {
			opts(maxInFlight("1")), many.with(recordOf("m"), recordOf("a", inVain(1))),
			"13 of 13 machines not healthy (13 sick), no limit set; 1 of at most 1 repairs in flight: m; 12 wait for a slot: b, c, d, e, f, g, h, i, j, k and 2 more",
		},
		"several reasons": {
			opts(maxInFlight("1")), facts(check(), sick("a"), sick("b"), sick("c", onHold(now.Add(time.Hour)))).with(recordOf("a")),
			"3 of 3 machines not healthy (3 sick), no limit set; 1 of at most 1 repairs in flight: a; 1 waits for a slot: b; 1 is on hold: c",
		},
		"their records wait for something else": {
			nil, facts(check(), sick("a"), sick("b"), sick("c"), sick("d"), sick("e"), sick("f")).with(
				recordOf("a", blocked(v1alpha1.RemediationHeld, "NoStepLeft")), recordOf("b", blocked(v1alpha1.RemediationPending, v1alpha1.ReasonApprovalRequired)),
				recordOf("c", blocked(v1alpha1.RemediationPending, v1alpha1.ReasonRemediationHeldByOthers)), recordOf("d", blocked(v1alpha1.RemediationPending, v1alpha1.ReasonBackoff), waitsFor(time.Minute)),
				recordOf("e", blocked(v1alpha1.RemediationPending, v1alpha1.ReasonUndecided)), recordOf("f")),
			"6 of 6 machines not healthy (6 sick), no limit set; 1 is Held, and a person decides: a; 1 waits for an approval: b; 1 is left to others: c; " +
				"1 is tried again later: d; 1 waits for what its MachineRemediation says: e",
		},
		"two problems": {
			opts(maxInFlight("0"), build.TriggerIfInRange("[2-1]")), some,
			`Nothing is repaired: annotation sickbay.dev/max-in-flight is "0": it must be a number of at least 1, or a percentage of at least 1%; spec.remediation.triggerIf.unhealthyInRange is "[2-1]": its first number must not be above its second; 1 waits: a`,
		},
		"on hold": {
			opts(onHold(now.Add(time.Hour)), build.Annotation("sickbay.dev/hold-reason", "a firmware update")), two,
			"Nothing is repaired: MachineHealthCheck mhc is on hold until 2026-01-01T02:00:00Z: a firmware update; 2 wait: a, b",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := tt.facts
			f.MachineHealthCheck = check(tt.opts...)
			d := Decide(f, now)
			if got := d.allowedMessage(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestOverlapMessage(t *testing.T) {
	got := overlapMessage(map[string][]string{"z": {"m2", "m1"}, "a": {"m3"}})
	if want := "Selected machines that another controller checks, for MachineHealthCheck a: m3; z: m1, m2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	many := map[string][]string{}
	for i := range 12 {
		many[fmt.Sprintf("pool-%02d", i)] = []string{"m"}
	}
	want := "Selected machines that another controller checks, for MachineHealthCheck pool-00: m; pool-01: m; pool-02: m; pool-03: m; pool-04: m; " +
		"pool-05: m; pool-06: m; pool-07: m; pool-08: m; pool-09: m; and of 2 more"
	if got := overlapMessage(many); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDryRunMessage(t *testing.T) {
	dryRun := build.Annotation(mhcspec.DryRunAnnotation, "true")
	tests := map[string]struct {
		opts  []build.MachineHealthCheckOption
		facts Facts
		want  string
	}{
		"none sick":         {opts(dryRun), facts(check(), healthy("a")), "Nothing would be repaired"},
		"not allowed":       {opts(dryRun, build.TriggerIfAtMost(intstr.FromInt32(0))), facts(check(), sick("a")), "Nothing would be repaired"},
		"by its step":       {opts(dryRun, byReboot()), facts(check(), sick("b"), sick("a")), "Would repair a (reboot), b (reboot)"},
		"within the budget": {opts(dryRun, maxInFlight("1")), facts(check(), sick("b"), sick("a")), "Would repair a (replace)"},
		"a further attempt": {opts(dryRun, byReboot()), facts(check(), sick("a")).with(recordOf("a", waitsFor(0))), "Would repair a (replace)"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := tt.facts
			f.MachineHealthCheck = check(tt.opts...)
			d := Decide(f, now)
			if got := d.dryRunMessage(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
