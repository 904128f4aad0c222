package pause

import (
	"slices"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestConcepts . -update

const conceptsFile = "../../../docs/upgrades.md"

// TestConceptsUpgrade renders what happens to a MachineHealthCheck during an upgrade A and after it.
func TestConceptsUpgrade(t *testing.T) {
	free := stored{keyPaused: mhcspec.HandedOverValue}
	excepted := stored{keyOption: "false"}
	table := [][]string{{"the MachineHealthCheck", "its annotations", "while upgrade A is running", "while none is running"}}
	for _, c := range []struct {
		observed string
		has      stored
	}{
		{"is not paused, is new, or has lost all these annotations", stored{}},
		{"is paused by Sickbay", ours("A", noon)},
		{"the same for `--max-upgrade-pause-warning` or longer", ours("A", one.Add(-warnAfter))},
		{"the same for upgrade Z, and A has come after it", ours("Z", noon)},
		{"is paused by somebody else", stored{keyPaused: "maintenance"}},
		{"was paused by Sickbay and unpaused by somebody", ours("A", noon).But(keyPaused)},
		{"the same, once it is recorded", stored{keyHandled: "A"}},
		{"the same during upgrade Z, and A has come after it", stored{keyHandled: "Z"}},
		{"was unpaused, and then paused by somebody", stored{keyPaused: "", keyHandled: "A"}},
		{"was paused by Sickbay, and somebody set another value", ours("A", noon).And(stored{keyPaused: "maintenance"})},
		{"was paused by Sickbay, and somebody took the marker away", ours("A", noon).But(keyMarker)},
		{"is excepted", excepted},
		{"was paused by Sickbay, and is excepted now", ours("A", noon).And(excepted)},
		{"is handed over", free},
		{"is handed over and paused by Sickbay", ours("A", noon).And(free)},
		{"the same, and somebody unpaused it", ours("A", noon).And(free).But(keyMarker)},
		{"is paused by another program that follows OpenShift's proposal", stored{keyPaused: "", keyMarker: ""}},
		{"was paused by such a program and unpaused by somebody", stored{keyMarker: ""}},
	} {
		during, _ := conceptsOutcome(Facts{Annotations: c.has, Upgrades: upgrading("A"), WarnAfter: warnAfter})
		over, left := conceptsOutcome(Facts{Annotations: c.has, WarnAfter: warnAfter})
		for _, key := range []string{keyMarker, keyHandled, keySince, keyWarned} {
			if _, ok := left[key]; ok {
				t.Errorf("%s: while no upgrade goes on, %s is left", c.observed, key)
			}
		}
		table = append(table, []string{c.observed, conceptsAnnotations(c.has), during, over})
	}
	docs.Section(t, conceptsFile, "upgrade", docs.Table(append(table, conceptsUnreadable()...)...))
}

// conceptsUnreadable returns the rows about a signal that cannot be read.
func conceptsUnreadable() [][]string {
	var rows [][]string
	for _, c := range []struct {
		observed string
		has      stored
	}{
		{"is not paused, and Sickbay cannot tell whether upgrade Z is still running", stored{}},
		{"is paused by Sickbay for upgrade Z, and Sickbay cannot tell whether that is still running", ours("Z", noon)},
		{"was unpaused by somebody during upgrade Z, and Sickbay cannot tell whether that is still running", stored{keyHandled: "Z"}},
		{"is paused by Sickbay, which cannot tell whether upgrade Z is still running, and is excepted now", ours("Z", noon).And(stored{keyOption: "false"})},
	} {
		f := Facts{Annotations: c.has, Unknown: []Unknown{{IDs: "Z", Why: "it is gone"}}, WarnAfter: warnAfter}
		over, _ := conceptsOutcome(f)
		f.Upgrades = upgrading("A")
		during, _ := conceptsOutcome(f)
		rows = append(rows, []string{c.observed, conceptsAnnotations(c.has), during, over})
	}
	return rows
}

// conceptsOutcome describes what Decide does, and returns the resulting annotations.
func conceptsOutcome(f Facts) (string, stored) {
	d := Decide(f, one)
	after := stored(f.Annotations).After(d.Changes)
	value, paused := after[keyPaused]
	words := "stays unpaused"
	switch {
	case d.Transition == Begin:
		words = "is paused"
	case d.Transition == End:
		words = "is resumed"
	case paused && (value != mhcspec.HandedOverValue || d.Paused):
		words = "stays paused"
	}
	if paused && value != f.Annotations[keyPaused] {
		words += ", " + docs.Code("paused: "+value)
	}
	switch {
	case d.Transition == Warn:
		words += "; Sickbay warns"
	case d.Transition == Overridden:
		words += "; Sickbay records that"
	case d.Transition == None && d.Changes[keyHandled] != nil && !d.Paused:
		words += "; Sickbay notes the upgrade"
	case d.Transition == None && len(d.Changes) > 0 && !d.Paused:
		words += "; Sickbay removes its other annotations"
	}
	return words, after
}

// conceptsAnnotations formats the relevant annotations, without their domains.
func conceptsAnnotations(has stored) string {
	shown := make([]string, 0, len(has))
	for _, key := range []string{keyPaused, keyMarker, keyHandled, keyOption} {
		if value, ok := has[key]; ok {
			_, name, _ := strings.Cut(key, "/")
			shown = append(shown, docs.Code(name+": "+conceptsQuoted(value)))
		}
	}
	return strings.Join(shown, ", ")
}

// conceptsQuoted quotes values that YAML would not read as text.
func conceptsQuoted(value string) string {
	if slices.Contains([]string{"", "true", "false"}, value) {
		return `"` + value + `"`
	}
	return value
}
