package view_test

import (
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/dashboard/view"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
)

// TestSimulate: a higher limit opens the gate on the page, and invalid input runs no simulation.
func TestSimulate(t *testing.T) {
	look := view.New(explaintest.Eleven())
	for name, tt := range map[string]struct {
		query  view.SimulateQuery
		answer string
	}{
		"not asked yet":         {view.SimulateQuery{}, ""},
		"as it is":              {view.SimulateQuery{Check: "default/workers"}, "Nothing would be repaired within 2h"},
		"a higher limit":        {view.SimulateQuery{Check: "default/workers", Limit: "100%"}, "Within 2h, repairs would begin on 3 of 3 sick machines, at most 3 at once"},
		"one at a time":         {view.SimulateQuery{Check: "default/workers", Limit: "100%", Slots: "1"}, "Within 2h, repairs would begin on 3 of 3 sick machines, at most 1 at once"},
		"sick only after a day": {view.SimulateQuery{Check: "default/workers", Limit: "2", Timeout: "24h"}, "Nothing would be repaired within 2h"},
		"a range":               {view.SimulateQuery{Check: "default/workers", Limit: "[1-4]"}, "Within 2h, repairs would begin on 3 of 3 sick machines, at most 3 at once"},
		"a domain fails":        {view.SimulateQuery{Check: "default/workers", Limit: "4", Fail: "zone=eu-1a"}, "Within 2h, repairs would begin on 4 of 4 sick machines, at most 4 at once"},
		"no such check":         {view.SimulateQuery{Check: "default/none"}, "there is no MachineHealthCheck default/none"},
		"no limit":              {view.SimulateQuery{Check: "default/workers", Limit: "many"}, `limit: "many" is neither a number, a percentage nor a range like [1-3]`},
		"no time":               {view.SimulateQuery{Check: "default/workers", Timeout: "soon"}, `sick after: "soon" is not a duration of at least a second, such as 90s, 10m or 2h`},
		"too far":               {view.SimulateQuery{Check: "default/workers", Until: "1000h"}, "look ahead: 1000h is more than 48h"},
		"too much that fails":   {view.SimulateQuery{Check: "default/workers", Fail: strings.Repeat("1%,", 21)}, "what fails now: it has 21 values, and at most 20 are allowed"},
		"nothing that fails":    {view.SimulateQuery{Check: "default/workers", Fail: "everything"}, `"everything" is not valid: it must be zone=NAME, a percentage up to 100%, or machine/NAME`},
		"no plan":               {view.SimulateQuery{Check: "default/workers", StepTimeout: "1h"}, "step timeouts: this health check has no plan"},
	} {
		p := look.SimulatePage(tt.query, view.Playing{})
		if got := p.Answer + p.Problem; !strings.HasPrefix(got, tt.answer) || (tt.answer == "") != (got == "") {
			t.Errorf("%s: it says %q, want %q", name, got, tt.answer)
		}
		if p.Played == (p.Problem != "") && tt.query.Check != "" {
			t.Errorf("%s: played %v, problem %q", name, p.Played, p.Problem)
		}
	}
}

// TestSimulateChangesNothing: a simulation does not change the data of other pages.
func TestSimulateChangesNothing(t *testing.T) {
	look := view.New(explaintest.Eleven())
	is := look.Facts.Checks[3].MachineHealthCheck.DeepCopy()
	p := look.SimulatePage(view.SimulateQuery{Check: "default/workers", Limit: "4", Slots: "1", Timeout: "1h", Fail: "10%"}, view.Playing{})
	if now := look.Facts.Checks[3].MachineHealthCheck; !p.Played || now.Name != "workers" || now.Spec.Remediation.TriggerIf.UnhealthyLessThanOrEqualTo.String() != "30%" ||
		len(now.Annotations) != len(is.Annotations) {
		t.Errorf("played %v, and the check is %+v", p.Played, now.Spec)
	}
}

// TestSimulateStops: if a simulation takes too long, the page shows the part that was simulated.
func TestSimulateStops(t *testing.T) {
	asked := 0
	p := view.New(explaintest.Eleven()).SimulatePage(view.SimulateQuery{Check: "default/workers", Limit: "100%", Fail: "100%"}, view.Playing{Stop: func() bool {
		asked++
		return asked > 3
	}})
	if !p.Played || !strings.Contains(p.Result.Summary.Unfinished, "the simulation stopped at") || asked != 4 {
		t.Errorf("after %d questions it says %q and %q", asked, p.Problem, p.Result.Summary.Unfinished)
	}
}
