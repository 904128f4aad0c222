package cycle

import (
	"slices"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// TestConceptsExits renders the table of exits: how a cycle ends early, and in which phases.
func TestConceptsExits(t *testing.T) {
	if len(conceptsExits) != len(exits) {
		t.Fatalf("%d of %d exits are shown", len(conceptsExits), len(exits))
	}
	table := [][]string{{"what has happened", "in", "it ends as", "a Node that was taken out of service"}}
	for i := range exits {
		e, node := &exits[i], "is left as it is"
		if e.gently {
			node = "gets back what it had first, with the deadlines of a cycle"
		}
		where := conceptsWhere(e, conceptsExits[i])
		if where == "" {
			t.Errorf("nobody comes to the exit %q", e.message)
		}
		message := strings.ReplaceAll(e.message, " HOST", "")
		table = append(table, []string{message, where, docs.Code(string(e.phase)) + ", " + docs.Code(e.outcome), node})
	}
	docs.Section(t, conceptsFile, "reboot exits", docs.Table(table...))
}

// conceptsWhere returns the phases in which an exit is taken.
func conceptsWhere(want *exit, happened change) string {
	var names []string
	for _, p := range phases {
		f := in(p.name, happened)
		d := &draft{f: f, s: f.Status, now: noon.Time}
		if i := slices.IndexFunc(exits, func(e exit) bool { return e.is(d) }); i >= 0 && &exits[i] == want {
			names = append(names, docs.Code(string(p.name)))
		}
	}
	switch len(names) {
	case len(phases):
		return "any phase"
	case len(phases) - 1:
		return "any phase but " + docs.Code(string(v1alpha1.Pending))
	}
	return strings.Join(names, ", ")
}

// conceptsExits are the events for the rows of the table of exits, in its order.
var conceptsExits = []change{
	machineGone,
	func(f *Facts) { f.Host.Missing = "gone" },
	ofOthers,
	func(f *Facts) { f.Host.Deleting = true },
	func(f *Facts) { f.Host.Fenceable = false },
	deleting,
}
