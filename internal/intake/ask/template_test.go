package ask_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// TestRefusedAnnotationStopsNothingElse: reboot.metal3.io of the owner's template is refused. What a person asks for by PowerOff on this one Machine
// is taken in all the same.
func TestRefusedAnnotationStopsNothingElse(t *testing.T) {
	m := machine(rebootannotation.Request, "", ask.PowerOffAnnotation, "please")
	m.FromTemplate = []string{rebootannotation.Request}
	got := text(ask.Decide(ask.Facts{Machine: m}, now))
	if diff := cmp.Diff("Make for Annotation reboot.metal3.io/PowerOff: Reboot x1 1h0m0s PowerOff", got); diff != "" {
		t.Errorf("decision (-want +got):\n%s", diff)
	}
}
