package machinehealthcheck

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/internal/targets"
)

func TestProperties(t *testing.T) {
	properties := map[string]func(t *rapid.T, f Facts, d Decision){
		"counts add up":                         countsAddUp,
		"the budget is kept":                    budgetIsKept,
		"only the sick are remediated":          onlyTheSick,
		"nobody sick is forgotten":              nobodyForgotten,
		"room is never negative":                roomIsValid,
		"nothing is done where it must not be":  nothingWhereItMustNotBe,
		"the order of machines does not matter": orderDoesNotMatter,
		"deciding changes nothing":              decidingChangesNothing,
		"only the recovered lose their request": onlyTheRecovered,
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
	if len(d.Paused) == 0 && c.Expected != len(f.Targets) || c.Healthy+c.Sick+c.Undecided+c.Deleting != c.Expected || c.InFlight > c.Expected {
		t.Fatalf("of %d machines: %+v", len(f.Targets), c)
	}
	if c.Unhealthy() != c.Sick+c.Undecided+c.Deleting {
		t.Fatalf("unhealthy are %d: %+v", c.Unhealthy(), c)
	}
}

func budgetIsKept(t *rapid.T, _ Facts, d Decision) {
	if d.budget != unbounded && len(d.Remedies) > 0 && d.Counts.InFlight+len(d.Remedies) > d.budget {
		t.Fatalf("%d in flight and %d more, of %d", d.Counts.InFlight, len(d.Remedies), d.budget)
	}
	if d.budget == unbounded && len(d.Next) > 0 {
		t.Fatalf("%d wait for a place though there is no bound", len(d.Next))
	}
}

func onlyTheSick(t *rapid.T, _ Facts, d Decision) {
	seen := map[string]bool{}
	for _, due := range slices.Concat(d.Remedies, d.Next) {
		target := due.Target
		if !target.sick() || target.healthy() || target.deleting() || target.inFlight() || !targets.IsTarget(target.Machine) || seen[target.Machine.Name] {
			t.Fatalf("%s gets %s", target.Machine.Name, due.Kind)
		}
		seen[target.Machine.Name] = true
	}
}

func nobodyForgotten(t *rapid.T, f Facts, d Decision) {
	if !d.Allowed {
		return
	}
	if got, want := len(d.Remedies)+len(d.Waiting), len(longestSickFirst(f.Targets)); got != want {
		t.Fatalf("%d get a remedy or wait for one, of %d", got, want)
	}
}

func roomIsValid(t *rapid.T, f Facts, d Decision) {
	if room := d.RemediationsAllowed(); room < 0 || room > maxCount {
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

func nothingWhereItMustNotBe(t *rapid.T, _ Facts, d Decision) {
	if (len(d.Paused) > 0 || len(d.Problems) > 0 || !d.Allowed) && len(d.Remedies)+len(d.Next) > 0 {
		t.Fatalf("paused %q, problems %q, allowed %v, and %v", d.Paused, d.Problems, d.Allowed, remedies(d))
	}
	if len(d.Paused) > 0 && len(d.Withdraw) > 0 {
		t.Fatal("a request is withdrawn while paused")
	}
}

func orderDoesNotMatter(t *rapid.T, f Facts, d Decision) {
	shuffled := f
	shuffled.Targets = slices.Clone(f.Targets)
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0))
	random.Shuffle(len(shuffled.Targets), func(i, j int) {
		shuffled.Targets[i], shuffled.Targets[j] = shuffled.Targets[j], shuffled.Targets[i]
	})
	other := Decide(shuffled, now)
	byName := cmpopts.SortSlices(func(a, b Target) bool { return a.Machine.Name < b.Machine.Name })
	// The withdrawn are done side by side, so that their order means nothing.
	if diff := cmp.Diff(d.Withdraw, other.Withdraw, byName, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("withdraw (-sorted +shuffled):\n%s", diff)
	}
	d.Withdraw, other.Withdraw = nil, nil
	if diff := cmp.Diff(d, other, cmp.AllowUnexported(Decision{}, trigger{})); diff != "" {
		t.Fatalf("(-sorted +shuffled):\n%s", diff)
	}
}

func decidingChangesNothing(t *rapid.T, f Facts, d Decision) {
	before := f.MachineHealthCheck.DeepCopy()
	again := Decide(f, now)
	if diff := cmp.Diff(d, again, cmp.AllowUnexported(Decision{}, trigger{})); diff != "" {
		t.Fatalf("the same facts lead to (-first +second):\n%s", diff)
	}
	if diff := cmp.Diff(before, f.MachineHealthCheck); diff != "" {
		t.Fatalf("the MachineHealthCheck was changed:\n%s", diff)
	}
}

func onlyTheRecovered(t *rapid.T, _ Facts, d Decision) {
	for _, target := range d.Withdraw {
		if !target.healthy() || target.Request == nil {
			t.Fatalf("%s loses its request", target.Machine.Name)
		}
	}
}
