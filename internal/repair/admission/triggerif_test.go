package admission

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func triggerOf(opts ...build.MachineHealthCheckOption) clusterv1.MachineHealthCheckRemediationTriggerIf {
	return check(opts...).Spec.Remediation.TriggerIf
}

// unhealthy are counts of so many unhealthy Machines, for certain.
func unhealthy(n int) Counts { return Counts{Expected: n, Sick: n} }

func TestGateByItsLimit(t *testing.T) {
	number := func(n int32) build.MachineHealthCheckOption { return build.TriggerIfAtMost(intstr.FromInt32(n)) }
	text := func(s string) build.MachineHealthCheckOption { return build.TriggerIfAtMost(intstr.FromString(s)) }
	inRange := func(s string) build.MachineHealthCheckOption { return build.TriggerIfInRange(s) }
	tests := map[string]struct {
		opts        []build.MachineHealthCheckOption
		expected    int
		unhealthy   int
		wantAllowed bool
		wantRoom    int
	}{
		"none: always allowed":                     {nil, 3, 3, true, 0},
		"none: room is the healthy":                {nil, 3, 1, true, 2},
		"none, no machines":                        {nil, 0, 0, true, 0},
		"number, below":                            {opts(number(2)), 3, 1, true, 1},
		"number, reached":                          {opts(number(2)), 3, 2, true, 0},
		"number, exceeded":                         {opts(number(2)), 3, 3, false, 0},
		"number above expected":                    {opts(number(10)), 3, 3, true, 7},
		"zero, none unhealthy":                     {opts(number(0)), 3, 0, true, 0},
		"zero, one unhealthy":                      {opts(number(0)), 3, 1, false, 0},
		"percent":                                  {opts(text("40%")), 5, 2, true, 0},
		"percent, rounded down":                    {opts(text("60%")), 7, 4, true, 0},
		"percent, rounded down, exceeded":          {opts(text("60%")), 7, 5, false, 0},
		"percent, rounded down to none":            {opts(text("20%")), 3, 1, false, 0},
		"percent of no machines":                   {opts(text("40%")), 0, 0, true, 0},
		"0%":                                       {opts(text("0%")), 3, 1, false, 0},
		"above 100%":                               {opts(text("200%")), 3, 3, true, 3},
		"percent beyond 32 bits":                   {opts(text("99999999999%")), 1000, 1000, true, mhcspec.MaxCount - 1000},
		"percent near 64 bits":                     {opts(text("9223372036854775807%")), 1000, 1000, true, mhcspec.MaxCount - 1000},
		"range, below":                             {opts(inRange("[3-5]")), 9, 2, false, 0},
		"range, lower end":                         {opts(inRange("[3-5]")), 9, 3, true, 2},
		"range, upper end":                         {opts(inRange("[3-5]")), 9, 5, true, 0},
		"range, above":                             {opts(inRange("[3-5]")), 9, 6, false, 0},
		"range of one":                             {opts(inRange("[2-2]")), 9, 2, true, 0},
		"range of none":                            {opts(inRange("[0-0]")), 9, 0, true, 0},
		"range with leading zeros":                 {opts(inRange("[01-02]")), 9, 2, true, 0},
		"range up to 31 bits":                      {opts(inRange("[0-2147483647]")), 9, 9, true, mhcspec.MaxCount - 9},
		"range takes precedence":                   {opts(number(0), inRange("[1-3]")), 9, 2, true, 1},
		"range takes precedence, also if stricter": {opts(text("100%"), inRange("[0-1]")), 9, 2, false, 0},
		"range takes precedence over nonsense":     {opts(text("lots"), inRange("[0-1]")), 9, 1, true, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := newGate(triggerOf(tt.opts...), tt.expected)
			if err != nil {
				t.Fatal(err)
			}
			if allowed, room := got.allows(unhealthy(tt.unhealthy), true), got.room(unhealthy(tt.unhealthy)); allowed != tt.wantAllowed || room != tt.wantRoom {
				t.Errorf("with %d of %d unhealthy got allowed %v, room %d, want %v, %d", tt.unhealthy, tt.expected, allowed, room, tt.wantAllowed, tt.wantRoom)
			}
		})
	}
}

func TestLimitThatNobodyCanRead(t *testing.T) {
	limit := func(v intstr.IntOrString) build.MachineHealthCheckOption { return build.TriggerIfAtMost(v) }
	tests := map[string]struct {
		opt  build.MachineHealthCheckOption
		want string
	}{
		"string without percent":     {limit(intstr.FromString("3")), `unhealthyLessThanOrEqualTo is "3": it must be a number or a percentage`},
		"word":                       {limit(intstr.FromString("abcdef")), "must be a number or a percentage"},
		"empty string":               {limit(intstr.FromString("")), "must be a number or a percentage"},
		"percent sign alone":         {limit(intstr.FromString("%")), "must be a number or a percentage"},
		"fraction":                   {limit(intstr.FromString("12.5%")), "must be a number or a percentage"},
		"percent beyond 64 bits":     {limit(intstr.FromString("9223372036854775808%")), "must be a number or a percentage"},
		"negative":                   {limit(intstr.FromInt32(-1)), `unhealthyLessThanOrEqualTo is "-1": it must not be negative`},
		"negative percent":           {limit(intstr.FromString("-10%")), `is "-10%": it must not be negative`},
		"range, min > max":           {build.TriggerIfInRange("[5-3]"), `unhealthyInRange is "[5-3]": its first number must not be above its second`},
		"range beyond 32 bits":       {build.TriggerIfInRange("[1-4294967296]"), "must be two numbers up to 2147483647"},
		"range beyond signed 32":     {build.TriggerIfInRange("[1-2147483648]"), "must be two numbers up to 2147483647"},
		"range beyond 64 bits":       {build.TriggerIfInRange("[1-18446744073709551616]"), "must be two numbers"},
		"range, both beyond 64 bits": {build.TriggerIfInRange("[99999999999999999999-99999999999999999999]"), "must be two numbers"},
		"range without brackets":     {build.TriggerIfInRange("3-5"), "must be two numbers"},
		"range, one bracket":         {build.TriggerIfInRange("[3-5"), "must be two numbers"},
		"range, double bracket":      {build.TriggerIfInRange("[[3-5]]"), "must be two numbers"},
		"range, one number":          {build.TriggerIfInRange("[3]"), "must be two numbers"},
		"range, three numbers":       {build.TriggerIfInRange("[1-2-3]"), "must be two numbers"},
		"range, no numbers":          {build.TriggerIfInRange("[-]"), "must be two numbers"},
		"range, negative":            {build.TriggerIfInRange("[-1-3]"), "must be two numbers"},
		"range, signs":               {build.TriggerIfInRange("[+1-+3]"), "must be two numbers"},
		"range, spaces":              {build.TriggerIfInRange("[1 - 3]"), "must be two numbers"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, expected := range []int{0, 1, 10} {
				_, err := newGate(triggerOf(tt.opt), expected)
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("with %d machines got error %v, want one that says %q", expected, err, tt.want)
				}
			}
		})
	}
}

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
