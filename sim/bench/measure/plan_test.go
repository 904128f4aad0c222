package measure

import (
	"slices"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// TestPlansCanBeCarriedOut: without this test, an impossible plan would fail only after half an hour.
func TestPlansCanBeCarriedOut(t *testing.T) {
	for name, plan := range map[string]Plan{"full": Full(), "scale": Scale(), "quick": Quick()} {
		t.Run(name, func(t *testing.T) {
			checkPlan(t, plan)
			for _, shape := range plan.Fleets {
				checkFleet(t, plan, shape)
			}
		})
	}
}

func checkPlan(t *testing.T, plan Plan) {
	t.Helper()
	if len(plan.Fleets) == 0 || len(plan.Subjects) == 0 || plan.Rounds < 1 {
		t.Errorf("it measures nothing: %+v", plan)
	}
	if plan.Alone < 1 || plan.PerSecond < 1 || plan.BeatsPerSecond < 1 || plan.Beats < time.Second {
		t.Errorf("nothing happens in it: %+v", plan)
	}
	// Otherwise the first machines would be marked before the last one falls sick.
	if most := int(fleet.NodeTimeout / time.Second); plan.Alone >= most {
		t.Errorf("machines fall sick one by one for %d seconds, which must be less than %d", plan.Alone, most)
	}
	for i, s := range plan.Subjects {
		if !slices.Contains(result.Subjects(), s) || slices.Contains(plan.Subjects[:i], s) {
			t.Errorf("subject %q is there twice, or not known", s)
		}
	}
	if (plan.Starts > 0) != (len(plan.Restarted) > 0) {
		t.Errorf("%d starts with %v", plan.Starts, plan.Restarted)
	}
	for _, named := range append(slices.Concat(plan.Restarted, plan.Unlimited, plan.Compared, plan.Metered), plan.Failover, plan.Profiled, plan.Hung, plan.Silent) {
		if named != (result.Fleet{}) && !slices.Contains(plan.Fleets, named) {
			t.Errorf("fleet %s is not among those that are made", named)
		}
	}
}

// checkFleet checks that the fleet has as many machines as fall sick at the same time.
func checkFleet(t *testing.T, plan Plan, shape result.Fleet) {
	t.Helper()
	alone := plan.Alone * plan.PerSecond
	if sick := max(alone, shape.Largest()/stormShare, 1); sick > shape.Size() {
		t.Errorf("%d machines of %s are to fall sick", sick, shape)
	}
	for _, hanging := range plan.hangs(result.Sickbay, shape) {
		if left := (shape.Clusters - hanging) * shape.Machines; left < alone {
			t.Errorf("%d machines of %s are to fall sick of %d that do not hang", alone, shape, left)
		}
	}
}

// TestPlanLeavesOut: a plan leaves out what takes long and shows nothing new.
func TestPlanLeavesOut(t *testing.T) {
	small, large := result.Fleet{Clusters: 4, Machines: 1}, result.Fleet{Clusters: 1, Machines: 2}
	plan := Plan{
		Subjects: []result.Subject{result.Sickbay, result.Unlimited}, Starts: 3, Profiles: "here",
		Restarted: []result.Fleet{large}, Unlimited: []result.Fleet{large}, Failover: large, Profiled: large,
	}
	type row struct {
		subjects            int
		starts              int
		profiles, failsOver bool
	}
	of := func(who result.Subject, shape result.Fleet) row {
		return row{len(plan.subjects(shape)), plan.starts(who, shape), plan.profiles(who, shape), plan.failsOver(who, shape)}
	}
	if got, want := of(result.Sickbay, large), (row{2, 3, true, true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, want := of(result.Sickbay, small), (row{1, 0, false, false}); got != want {
		t.Errorf("another fleet: got %+v, want %+v", got, want)
	}
	if got, want := of(result.Unlimited, large), (row{2, 0, false, false}); got != want {
		t.Errorf("without its limit: got %+v, want %+v", got, want)
	}
	plan.Profiles = ""
	if plan.profiles(result.Sickbay, large) {
		t.Error("there are profiles without a directory for them")
	}
}
