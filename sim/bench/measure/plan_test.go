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
	if plan.Alone < 1 || plan.PerSecond < 1 || plan.Beats < time.Second {
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
	type row struct {
		Starts, Hangs, Upstream int
	}
	of := func(plan Plan, shape result.Fleet) row {
		return row{plan.starts(shape), len(plan.hangs(result.Sickbay, shape)), len(plan.hangs(result.Upstream, shape))}
	}
	only := Full()
	only.Only = []Part{partRest}
	for name, tt := range map[string]struct{ got, want row }{
		"one cluster":           {of(Full(), result.Large), row{Starts: 3}},
		"a large one beside":    {of(Full(), result.Mixed), row{Starts: 3}},
		"many clusters":         {of(Full(), result.Many), row{Hangs: 5, Upstream: 1}},
		"ten clusters":          {of(Full(), result.Few), row{Hangs: 4, Upstream: 1}},
		"many, in short":        {of(Quick(), result.Many), row{}},
		"one cluster, in short": {of(Quick(), result.Large), row{}},
		"other parts of many":   {of(only, result.Many), row{}},
		"other parts of one":    {of(only, result.Large), row{}},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %+v, want %+v", name, tt.got, tt.want)
		}
	}
}
