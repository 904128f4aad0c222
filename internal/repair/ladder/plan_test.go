package ladder

import (
	"testing"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestActs: every action that needs a slot has an act, and one of a later version has none: nothing is done to a machine by mistake.
func TestActs(t *testing.T) {
	for action, want := range map[v1alpha1.Action]Act{
		v1alpha1.ActionRequest: CreateRequest, v1alpha1.ActionReboot: CreateReboot, v1alpha1.ActionReplace: MarkForOwner,
		v1alpha1.ActionWait: None, v1alpha1.ActionHold: None, "Drain": None, "": None,
	} {
		d := draft{f: plan(replace())}
		if got := d.actFor(v1alpha1.RemediationStep{Action: action}); got != want || Acts(action) != (want != None) {
			t.Errorf("action %q: act %q, want %q; it needs a slot: %t", action, got, want, Acts(action))
		}
	}
}
