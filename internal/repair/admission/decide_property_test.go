package admission

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/memory"
	"github.com/sickbay-dev/sickbay/internal/testing/sentence"
)

func TestWhateverTheFacts(t *testing.T) {
	properties := map[string]func(t *rapid.T, f Facts, d Decision){
		"counts add up":                         countsAddUp,
		"the budget is kept":                    budgetIsKept,
		"only the sick are admitted":            onlyTheSick,
		"nobody due is forgotten":               nobodyForgotten,
		"room is never negative":                roomIsValid,
		"nobody is admitted who must not be":    nobodyWhoMustNotBe,
		"the order of machines does not matter": orderDoesNotMatter,
		"deciding changes nothing":              decidingChangesNothing,
		"who was in vain stands behind":         vainStandsBehind,
		"the decision changes when it says":     nothingBeforeRecheck,
		"nothing of the past is left out":       nothingForgotten,
	}
	for name, property := range properties {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			f := drawFacts(t)
			property(t, f, Decide(f, now))
		}))
	}
}

func countsAddUp(t *rapid.T, f Facts, d Decision) {
	c := d.Counts
	if c.Expected != len(f.Targets) || c.Healthy+c.Sick+c.Undecided+c.Unconfirmed+c.Deleting != c.Expected || c.Healthy > c.StoredHealthy {
		t.Fatalf("of %d machines: %+v", len(f.Targets), c)
	}
	if c.Unhealthy() != c.Sick+c.Undecided+c.Unconfirmed+c.Deleting || c.Confirmed() != c.Sick+c.Undecided+c.Deleting {
		t.Fatalf("unhealthy are %d, for certain %d: %+v", c.Unhealthy(), c.Confirmed(), c)
	}
}

// budgetIsKept: those who are admitted and not taken over fit beside those in flight, counted one by one.
func budgetIsKept(t *rapid.T, f Facts, d Decision) {
	flight := map[types.UID]bool{}
	for _, r := range f.Records {
		flight[r.Spec.MachineRef.UID] = flight[r.Spec.MachineRef.UID] || ladder.HasSlot(r)
	}
	for _, target := range f.Targets {
		flight[target.Machine.UID] = flight[target.Machine.UID] || target.deleting()
	}
	taken, given := 0, 0
	for _, yes := range flight {
		if yes {
			taken++
		}
	}
	for _, one := range d.Admit {
		if one.Stray != "" {
			taken++
		} else if one.Grant > 0 {
			given++
		}
	}
	if d.budget != unbounded && given > 0 && taken+given > d.budget {
		t.Fatalf("%d in flight and %d more, of %d", taken, given, d.budget)
	}
	if d.budget == unbounded && len(d.Next) > 0 {
		t.Fatalf("%d wait for a place though there is no bound", len(d.Next))
	}
}

// openRecord is the one of a machine that is not over; nil if there is none.
func openRecord(f Facts, machine types.UID) *v1alpha1.MachineRemediation {
	for _, r := range f.Records {
		if r.Spec.MachineRef.UID == machine && !ladder.Ended(r) {
			return r
		}
	}
	return nil
}

func onlyTheSick(t *rapid.T, f Facts, d Decision) {
	seen := map[string]bool{}
	for _, one := range slices.Concat(d.Admit, d.Next) {
		target := Target{Machine: one.Machine}
		if seen[one.Machine.Name] || target.deleting() || (one.Stray == "" && !target.sick()) {
			t.Fatalf("%s is admitted", one.Machine.Name)
		}
		if record := openRecord(f, one.Machine.UID); record != one.Record {
			t.Fatalf("%s is admitted with %v, and has %v", one.Machine.Name, one.Record, record)
		}
		if one.Record != nil && one.Grant != one.Record.Status.ReleasedGrant+1 {
			t.Fatalf("%s is granted %d, after %d", one.Machine.Name, one.Grant, one.Record.Status.ReleasedGrant)
		}
		seen[one.Machine.Name] = true
	}
}

// nobodyForgotten: everybody who is due is admitted, or has a reason.
func nobodyForgotten(t *rapid.T, f Facts, d Decision) {
	known := map[types.UID]bool{}
	for _, one := range d.Admit {
		known[one.Machine.UID] = true
	}
	for _, one := range d.Waiting {
		if one.Reason == "" || one.Why == "" && len(d.Paused) == 0 || known[one.UID] {
			t.Fatalf("%+v", one)
		}
		known[one.UID] = true
	}
	for _, target := range f.Targets {
		due := target.sick() && !target.unconfirmed() && openRecord(f, target.Machine.UID) == nil
		if due && target.Stray == "" && !known[target.Machine.UID] {
			t.Fatalf("%s is neither admitted nor has it a reason", target.Machine.Name)
		}
	}
}

func roomIsValid(t *rapid.T, f Facts, d Decision) {
	if room := d.RemediationsAllowed(); room < 0 || room > mhcspec.MaxCount {
		t.Fatalf("room is %d", room)
	}
	if len(d.Paused) > 0 {
		return
	}
	s := desired(f)
	if *s.ExpectedMachines < 0 || *s.CurrentHealthy < 0 || *s.RemediationsAllowed < 0 || len(s.Targets) != len(f.Targets) {
		t.Fatalf("status is %+v", s)
	}
}

func nobodyWhoMustNotBe(t *rapid.T, f Facts, d Decision) {
	if d.Stopped.Reason != "" && len(d.Admit)+len(d.Next) > 0 {
		t.Fatalf("stopped by %+v, and %v", d.Stopped, admitted(d))
	}
	for _, one := range d.Admit {
		if one.Stray == "" && (d.Counts.Unhealthy() > d.gate.maximum || f.Unseen) {
			t.Fatalf("%v in spite of %+v", admitted(d), d.Counts)
		}
	}
}

func orderDoesNotMatter(t *rapid.T, f Facts, d Decision) {
	shuffled := f
	shuffled.Targets, shuffled.Records = slices.Clone(f.Targets), slices.Clone(f.Records)
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0))
	random.Shuffle(len(shuffled.Targets), func(i, j int) {
		shuffled.Targets[i], shuffled.Targets[j] = shuffled.Targets[j], shuffled.Targets[i]
	})
	random.Shuffle(len(shuffled.Records), func(i, j int) {
		shuffled.Records[i], shuffled.Records[j] = shuffled.Records[j], shuffled.Records[i]
	})
	other := Decide(shuffled, now)
	// What is taken over is so side by side, and its order means nothing.
	got, want := admitted(other), admitted(d)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("admitted (-sorted +shuffled):\n%s", diff)
	}
	if diff := cmp.Diff(waiting(d), waiting(other)); diff != "" {
		t.Fatalf("waiting (-sorted +shuffled):\n%s", diff)
	}
	if d.allowedMessage() != other.allowedMessage() {
		t.Fatalf("sorted %q, shuffled %q", d.allowedMessage(), other.allowedMessage())
	}
}

func decidingChangesNothing(t *rapid.T, f Facts, d Decision) {
	before, plan := f.MachineHealthCheck.DeepCopy(), f.Template.Plan.DeepCopy()
	again := Decide(f, now)
	if diff := cmp.Diff(d, again, cmp.AllowUnexported(Decision{}, gate{}, Admission{})); diff != "" {
		t.Fatalf("the same facts lead to (-first +second):\n%s", diff)
	}
	if diff := cmp.Diff(before, f.MachineHealthCheck); diff != "" {
		t.Fatalf("the MachineHealthCheck was changed:\n%s", diff)
	}
	if diff := cmp.Diff(plan, f.Template.Plan); diff != "" {
		t.Fatalf("the plan was changed:\n%s", diff)
	}
}

// vainStandsBehind: among those who wait for nothing but a slot, none is admitted before one that had fewer in vain.
func vainStandsBehind(t *rapid.T, f Facts, d Decision) {
	if f.Template.Plan != nil && f.Template.Plan.Spec.Template.Spec.Pacing != nil {
		return // the least recently served domain comes first
	}
	for _, one := range d.Admit {
		for _, other := range d.Next {
			if one.Stray == "" && one.Grant > 0 && other.fruitless < one.fruitless {
				t.Fatalf("%s, %d times in vain, comes before %s, %d times", one.Machine.Name, one.fruitless, other.Machine.Name, other.fruitless)
			}
		}
	}
}

// nothingBeforeRecheck: as long as no fact changes, the decision is the same until the moment that it names.
func nothingBeforeRecheck(t *rapid.T, f Facts, d Decision) {
	for _, second := range []int{1, 30, 59, 61, 3600} {
		later := now.Add(seconds(second))
		if !d.RecheckAt.IsZero() && !later.Before(d.RecheckAt) {
			return
		}
		other := Decide(f, later)
		if diff := cmp.Diff(admitted(d), admitted(other)); diff != "" {
			t.Fatalf("after %d s, before %s, admitted (-now +then):\n%s", second, d.RecheckAt, diff)
		}
		if diff := cmp.Diff(waiting(d), waiting(other)); diff != "" {
			t.Fatalf("after %d s, before %s, waiting (-now +then):\n%s", second, d.RecheckAt, diff)
		}
	}
}

// nothingForgotten: the records that are looked up for a machine lead to the same start as all of the cluster.
func nothingForgotten(t *rapid.T, f Facts, d Decision) {
	if f.Template.Plan == nil {
		return
	}
	for _, one := range d.Admit {
		if one.Record != nil || one.Stray != "" {
			continue
		}
		_, incident := f.history().of(one)
		want := memory.StartAt(d.Steps, f.History, incident, f.Template.Plan.Spec.Template.Spec.RelapseWindow(), now)
		if diff := cmp.Diff(want, one.Start); diff != "" {
			t.Fatalf("%s starts (-by all records +by its own):\n%s", one.Machine.Name, diff)
		}
	}
}

// FuzzAnnotations: whatever a MachineHealthCheck is annotated with, each problem is one clear sentence, and what cannot be read is never guessed at.
func FuzzAnnotations(f *testing.F) {
	for _, value := range []string{"", "1", "0", "-1", "20%", "-5%", "99999999999999999999", "%", "true", "TRUE", "yes", "reboot", "external-baremetal", "30m", "-1s", "1e9h", "2026-11-23T08:00:00Z", "\x00", "a\nb", "\xff", "A: {clock: FirstSeen, maxShare: 60%}", "{\"a\\nb\": {\"x y\": 1}}"} {
		f.Add(value, 3)
	}
	f.Fuzz(func(t *testing.T, value string, expected int) {
		for _, annotation := range []string{
			mhcspec.MaxInFlightAnnotation, mhcspec.DryRunAnnotation, mhcspec.StrategyAnnotation, mhcspec.ExternalStrategyAnnotation, mhcspec.PauseOnUpgradeAnnotation,
			mhcspec.ResumedAtAnnotation, mhcspec.ProvisioningTimeoutAnnotation, mhcspec.HostErrorTimeoutAnnotation, mhcspec.SignalsAnnotation,
		} {
			mhc := &clusterv1.MachineHealthCheck{}
			mhc.Annotations = map[string]string{annotation: value}
			config, problems := mhcspec.ParseConfig(mhc, nil)
			for _, problem := range problems {
				sentence.Clear(t, problem)
			}
			if annotation == mhcspec.DryRunAnnotation && len(problems) > 0 && !config.DryRun {
				t.Errorf("%q is no dry-run", value)
			}
			if n := budget(config.MaxInFlight, expected%100_000); n < unbounded || len(problems) > 0 && annotation == mhcspec.MaxInFlightAnnotation && n > max(1, expected) && config.MaxInFlight == nil {
				t.Errorf("%q is a budget of %d", value, n)
			}
			_ = mhcspec.RulesOf(mhc)
		}
	})
}

// FuzzTrigger: limits and ranges are read as they are printed, and never lead to numbers below zero.
func FuzzTrigger(f *testing.F) {
	for _, value := range []string{"", "[1-3]", "[3-1]", "[0-0]", "[ 1-2]", "[1-2", "1-2]", "[1-2147483648]", "[-1-2]", "[1--2]", "[+1-2]", "40%", "-40%", "0%", "999999999999%", "9223372036854775808%", "x"} {
		f.Add(value, 7)
	}
	f.Fuzz(func(t *testing.T, value string, expected int) {
		expected = max(0, expected%100_000)
		limit := intstr.Parse(value)
		for _, spec := range []clusterv1.MachineHealthCheckRemediationTriggerIf{{UnhealthyInRange: value}, {UnhealthyLessThanOrEqualTo: &limit}} {
			got, err := newGate(spec, expected)
			if err != nil {
				sentence.Clear(t, err.Error(), value)
				continue
			}
			if got.minimum < 0 || got.maximum < got.minimum || got.maximum > max(mhcspec.MaxCount, expected) {
				t.Errorf("%q of %d is from %d to %d", value, expected, got.minimum, got.maximum)
			}
			if !got.isRange {
				continue
			}
			again, err := newRange(fmt.Sprintf("[%d-%d]", got.minimum, got.maximum))
			if err != nil || again.minimum != got.minimum || again.maximum != got.maximum {
				t.Errorf("%q is read as from %d to %d, which is read as %+v (%v)", value, got.minimum, got.maximum, again, err)
			}
		}
	})
}
