package rebootannotation_test

import (
	"testing"

	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestWhoAsksForAReboot: a record identifies itself by a second annotation with the same value.
func TestWhoAsksForAReboot(t *testing.T) {
	const asks, operation = rebootannotation.Request, rebootannotation.Operation
	for name, tt := range map[string]struct {
		annotations map[string]string
		operation   string
	}{
		"nobody":                            {nil, ""},
		"nobody any more":                   {map[string]string{operation: "u/1"}, ""},
		"a record":                          {map[string]string{asks: "u/1", operation: "u/1"}, "u/1"},
		"a person":                          {map[string]string{asks: ""}, ""},
		"a person, after a record":          {map[string]string{asks: "now", operation: "u/1"}, ""},
		"a person, with two that are empty": {map[string]string{asks: "", operation: ""}, ""},
	} {
		machine := build.Machine("ns", "m")
		machine.Annotations = tt.annotations
		if got := rebootannotation.OperationOf(machine); got != tt.operation {
			t.Errorf("%s: the operation is %q", name, got)
		}
	}
}
