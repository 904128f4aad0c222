package ladder

import (
	"slices"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestConcepts . -update

const conceptsFile = "../../../docs/concepts.md"

// conceptsPhases say what each phase is about, and until when it lasts.
var conceptsPhases = []struct {
	phase       v1alpha1.RemediationPhase
	what, until string
}{
	{v1alpha1.RemediationPending, "nothing that Sickbay asked for is in place on the machine; the reason says what is missing", "the next attempt may act"},
	{v1alpha1.RemediationActing, "an attempt is at work, or something that it asked for is still in place", "the attempt is over, and what it asked for is gone"},
	{v1alpha1.RemediationProbation, "the machine, or the one in its place, is healthy", "it has been healthy for `probationSeconds` without a break"},
	{v1alpha1.RemediationHeld, "no step goes on by itself", "a person decides, or the machine is healthy or gone"},
	{v1alpha1.RemediationEnded, "it is over, and kept as history", ""},
}

// TestConceptsPhases renders the phases, with the slot and the reasons that the rows show in them.
func TestConceptsPhases(t *testing.T) {
	table := [][]string{{"phase", "", "slot", "until", "reasons"}}
	for _, c := range conceptsPhases {
		slots, reasons := inPhase(c.phase)
		if len(reasons) == 0 {
			t.Errorf("no row comes to rest in phase %s", c.phase)
		}
		slices.Sort(reasons)
		for i := range reasons {
			reasons[i] = docs.Code(reasons[i])
		}
		table = append(table, []string{docs.Code(string(c.phase)), c.what, slots, c.until, strings.Join(slices.Compact(reasons), ", ")})
	}
	docs.Section(t, conceptsFile, "remediation phases", docs.Table(table...))
}

// inPhase says whether records have a slot in a phase, and which reasons they give, once they have settled.
func inPhase(phase v1alpha1.RemediationPhase) (slots string, reasons []string) {
	slots = "no"
	for _, r := range allRows() {
		f, d := decideAll(with(r.facts), noon)
		if f.Record.Status.Phase != phase || len(f.Record.Status.Conditions) == 0 || (d.Act != None && d.Act != Close) {
			continue
		}
		switch {
		case HasSlot(f.Record) && phase == v1alpha1.RemediationHeld:
			slots = "no; keeps the one it has while the machine is deleted for it, for an hour"
		case HasSlot(f.Record) && phase == v1alpha1.RemediationProbation:
			slots = "keeps the one it has if a repair has begun"
		case HasSlot(f.Record):
			slots = "keeps the one it has"
		}
		reasons = append(reasons, Progress(&f.Record.Status).Reason)
	}
	return slots, reasons
}

// TestConceptsPhasesAreComplete: each phase has a row.
func TestConceptsPhasesAreComplete(t *testing.T) {
	for _, phase := range constants(t, apiPackage+"remediationstatus.go", "RemediationPhase", "") {
		if !slices.ContainsFunc(conceptsPhases, func(c struct {
			phase       v1alpha1.RemediationPhase
			what, until string
		}) bool {
			return string(c.phase) == phase
		}) {
			t.Errorf("phase %s is not described", phase)
		}
	}
}
