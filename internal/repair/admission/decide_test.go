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
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// TestWhoIsAdmitted has a case for each bullet that says who is admitted.
func TestWhoIsAdmitted(t *testing.T) {
	atMost := func(n int32) build.MachineHealthCheckOption { return build.TriggerIfAtMost(intstr.FromInt32(n)) }
	records := func(all ...*v1alpha1.MachineRemediation) []*v1alpha1.MachineRemediation { return all }
	tests := map[string]struct {
		mhc     *clusterv1.MachineHealthCheck
		targets []Target
		records []*v1alpha1.MachineRemediation
		want    []string
		waiting []string
	}{
		"none sick":                            {mhc: check(), targets: []Target{healthy("a"), pending("b"), target("c")}},
		"request from templateRef":             {mhc: check(byTemplate()), targets: []Target{sick("a")}, want: []string{"a: request"}},
		"request, before the strategy":         {mhc: check(byTemplate(), byReboot()), targets: []Target{sick("a")}, want: []string{"a: request"}},
		"strategy annotated":                   {mhc: check(byReboot()), targets: []Target{sick("a")}, want: []string{"a: reboot"}},
		"request, before OpenShift's strategy": {mhc: check(byTemplate(), byExternal()), targets: []Target{sick("a")}, want: []string{"a: request"}},
		"OpenShift's strategy annotated":       {mhc: check(byExternal()), targets: []Target{sick("a")}, want: []string{"a: reboot"}},
		"neither":                              {mhc: check(), targets: []Target{sick("a")}, want: replaced("a")},
		"being deleted":                        {mhc: check(), targets: []Target{sick("a", build.Deleting(now))}},
		"well again just now":                  {mhc: check(), targets: []Target{seen(sick("a"), metav1.ConditionTrue)}},
		"under repair":                         {mhc: check(), targets: []Target{sick("a")}, records: records(recordOf("a"))},
		"its record has ended":                 {mhc: check(), targets: []Target{sick("a")}, records: records(recordOf("a", ended)), want: replaced("a")},
		"its record wants a slot":              {mhc: check(), targets: []Target{sick("a")}, records: records(recordOf("a", waitsFor(0))), want: []string{"a: grant"}},
		"its record wants a slot later":        {mhc: check(), targets: []Target{sick("a")}, records: records(recordOf("a", waitsFor(time.Second)))},
		"its record wants a slot, it is well":  {mhc: check(), targets: []Target{healthy("a")}, records: records(recordOf("a", waitsFor(0)))},
		"its record wants a slot, it leaves":   {mhc: check(), targets: []Target{sick("a", build.Deleting(now))}, records: records(recordOf("a", waitsFor(0)))},
		"one under repair stops no others":     {mhc: check(), targets: []Target{sick("a"), sick("b")}, records: records(recordOf("a")), want: replaced("b")},
		"longest sick first":                   {mhc: check(), targets: []Target{sick("a"), longSick("b"), sick("c")}, want: replaced("b", "a", "c")},
		"equally long sick: by name":           {mhc: check(), targets: []Target{sick("b"), sick("a"), sick("c")}, want: replaced("a", "b", "c")},
		"fewest fruitless grants first": {
			mhc: check(), targets: []Target{longSick("a"), longSick("b"), sick("c")},
			records: records(recordOf("a", inVain(2)), recordOf("b", inVain(1))), want: []string{"c: replace", "b: grant", "a: grant"},
		},
		"max-in-flight": {
			mhc: check(maxInFlight("1")), targets: []Target{sick("b"), sick("a")}, want: replaced("a"), waiting: []string{"b: NoSlot"},
		},
		"max-in-flight, spent": {
			mhc: check(maxInFlight("1")), targets: []Target{sick("a"), sick("b")}, records: records(recordOf("a")), waiting: []string{"b: NoSlot"},
		},
		"max-in-flight, spent by one that is gone": {
			mhc: check(maxInFlight("1")), targets: []Target{sick("b")}, records: records(recordOf("a")), waiting: []string{"b: NoSlot"},
		},
		"max-in-flight, spent by a deletion": {
			mhc: check(maxInFlight("1")), targets: []Target{healthy("a", build.Deleting(now)), sick("b")}, waiting: []string{"b: NoSlot"},
		},
		"max-in-flight, a record waits, too": {
			mhc: check(maxInFlight("1")), targets: []Target{sick("a"), sick("b")}, records: records(recordOf("a", waitsFor(0))),
			want: replaced("b"), waiting: []string{"a: NoSlot"},
		},
		"max-in-flight, overspent": {
			mhc: check(maxInFlight("1")), targets: []Target{sick("a"), sick("b"), sick("c")}, records: records(recordOf("a"), recordOf("b")),
			waiting: []string{"c: NoSlot"},
		},
		"max-in-flight, percent": {
			mhc: check(maxInFlight("50%")), targets: []Target{sick("a"), sick("b"), sick("c"), healthy("d")},
			want: replaced("a", "b"), waiting: []string{"c: NoSlot"},
		},
		"triggerIf holds back":          {mhc: check(atMost(1)), targets: []Target{sick("a"), sick("b")}, waiting: []string{"a: GateClosed", "b: GateClosed"}},
		"triggerIf counts the starting": {mhc: check(atMost(1)), targets: []Target{sick("a"), target("b")}, waiting: []string{"a: GateClosed"}},
		"triggerIf counts the pending":  {mhc: check(atMost(1)), targets: []Target{sick("a"), pending("b")}, waiting: []string{"a: GateClosed"}},
		"triggerIf counts the deleting": {
			mhc: check(atMost(1)), targets: []Target{sick("a"), healthy("b", build.Deleting(now))}, waiting: []string{"a: GateClosed"},
		},
		"triggerIf counts the unconfirmed": {
			mhc: check(atMost(1)), targets: []Target{sick("a"), seen(healthy("b"), metav1.ConditionFalse)}, waiting: []string{"a: GateClosed"},
		},
		"triggerIf is no budget": {mhc: check(atMost(2)), targets: []Target{sick("a"), sick("b")}, want: replaced("a", "b")},
		"a range counts the unconfirmed as healthy below": {
			mhc: check(build.TriggerIfInRange("[3-5]")), targets: []Target{sick("a"), sick("b"), seen(target("c"), metav1.ConditionTrue)},
			waiting: []string{"a: GateClosed", "b: GateClosed"},
		},
		"a range, and all are sick for certain": {
			mhc: check(build.TriggerIfInRange("[3-5]")), targets: []Target{sick("a"), sick("b"), seen(sick("c"), metav1.ConditionFalse)},
			want: replaced("a", "b", "c"),
		},
		"the lower bound is for the first step only": {
			mhc: check(build.TriggerIfInRange("[2-5]")), targets: []Target{sick("a"), healthy("b")}, records: records(recordOf("a", tried)),
			want: []string{"a: grant"},
		},
		"the lower bound is for a record that has not begun, too": {
			mhc: check(build.TriggerIfInRange("[2-5]")), targets: []Target{sick("a"), healthy("b")}, records: records(recordOf("a", waitsFor(0))),
			waiting: []string{"a: GateClosed"},
		},
		"the lower bound is for a record that has only waited, too": {
			mhc: check(build.TriggerIfInRange("[2-5]")), targets: []Target{sick("a"), healthy("b")},
			records: records(recordOf("a", tried, func(r *v1alpha1.MachineRemediation) { r.Status.Attempts[0].BeganAt = nil })),
			waiting: []string{"a: GateClosed"},
		},
		"the upper bound is for all": {
			mhc: check(atMost(0)), targets: []Target{sick("a")}, records: records(recordOf("a", tried)), waiting: []string{"a: GateClosed"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := Decide(facts(tt.mhc, tt.targets...).with(tt.records...), now)
			if diff := cmp.Diff(tt.want, admitted(d)); diff != "" {
				t.Errorf("admitted (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.waiting, waiting(d)); diff != "" {
				t.Errorf("waiting (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDecideUnseen: nobody else is admitted before the cache shows those who were.
func TestDecideUnseen(t *testing.T) {
	f := facts(check(), sick("a"), sick("b")).with(recordOf("a"))
	f.Unseen = true
	d := Decide(f, now)
	if len(d.Admit) > 0 {
		t.Errorf("admitted are %v", admitted(d))
	}
	if diff := cmp.Diff([]string{"b: " + ReasonExpected}, waiting(d)); diff != "" {
		t.Errorf("waiting (-want +got):\n%s", diff)
	}
	if message := d.allowedMessage(); message != "2 of 2 machines not healthy (2 sick), no limit set" {
		t.Errorf("the message says what lasts for milliseconds: %s", message)
	}
}

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

// sink keeps the compiler from optimizing a measured call away.
var sink Decision

// TestDecideOnHealthyAllocatesNothing, however many Machines there are.
func TestDecideOnHealthyAllocatesNothing(t *testing.T) {
	var all []Target
	for i := range 1000 {
		all = append(all, healthy(fmt.Sprint("m-", i)))
	}
	f := facts(check(), all...)
	expect.NoAllocation(t, func() { sink = Decide(f, now) })
}
