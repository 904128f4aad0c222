package simulate

import (
	"strings"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// departs says what follows a machine that is gone.
func (s *Scene) departs(d departure) string {
	switch {
	case d.successor == nil:
		return "is gone; nobody owns it, so nothing replaces it"
	case s.options.World.Replacements == ReplacementsNodeless:
		return "is gone; the Node of its successor does not appear"
	case s.options.World.Replacements == ReplacementsSick:
		return "is gone; the Node of its successor is not Ready"
	}
	if len(d.successor.begins) > 0 {
		return "is gone; its successor begins with " + strings.Join(d.successor.begins, " and ")
	}
	return "is gone; a healthy machine replaces it"
}

// waitWords says what a machine waits for.
func waitWords(one admission.Waiting) string {
	switch one.Reason {
	case v1alpha1.ReasonNoSlot:
		return "waits for a slot"
	case v1alpha1.ReasonGateClosed:
		return "is held back: the gate is closed"
	case v1alpha1.ReasonPaced:
		return "waits its turn: " + one.Why
	}
	if one.Why == "" {
		return "is not repaired: " + endWords(one.Reason)
	}
	return "is not repaired: " + one.Why
}

// plurals are the beginnings of sentences about one machine, and about several.
var plurals = []struct{ one, several string }{
	{"the Node stops", "their Nodes stop"},
	{"the repair ends", "their repairs end"},
	{"falls ", "fall "},
	{"waits its turn", "wait their turn"},
	{"waits ", "wait "},
	{"has ", "have "},
	{"is gone; a healthy machine replaces it", "are gone; healthy machines are in their places"},
	{"is gone; the Node of its successor does not appear", "are gone; the Nodes of the machines in their places do not appear"},
	{"is gone; the Node of its successor is not Ready", "are gone; the Nodes of the machines in their places are not Ready"},
	{"is gone; nobody owns it, so nothing replaces it", "are gone; nobody owns them, so no other machines are in their places"},
	{"is gone; its successor begins", "are gone; their successors begin"},
	{"goes ", "go "},
	{"is ", "are "},
}

// plural turns a sentence about one machine into one about several.
func plural(what string) string {
	for _, p := range plurals {
		if rest, ok := strings.CutPrefix(what, p.one); ok {
			return p.several + rest
		}
	}
	return what
}
