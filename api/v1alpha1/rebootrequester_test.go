package v1alpha1_test

import (
	"testing"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestForRecord: if a MachineRemediation requested the cycle, it decides what follows.
func TestForRecord(t *testing.T) {
	for name, tt := range map[string]struct {
		by   *v1alpha1.RebootRequester
		want bool
	}{
		"not known":      {nil, false},
		"a person":       {&v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson, Name: "alice"}, false},
		"a health check": {&v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByHealthCheck}, false},
		"a record":       {&v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByRecord}, true},
	} {
		if got := tt.by.ForRecord(); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
