package rebootannotation_test

import (
	"testing"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// FuzzRebootAnnotations: whatever the annotations of a Machine, no operation ID is made up.
func FuzzRebootAnnotations(f *testing.F) {
	f.Add("uid/1", "uid/1")
	f.Add("", "")
	f.Add("x", "y")
	f.Fuzz(func(t *testing.T, asked, operation string) {
		machine := &clusterv1.Machine{}
		machine.Annotations = map[string]string{rebootannotation.Request: asked, rebootannotation.Operation: operation}
		if got := rebootannotation.OperationOf(machine); got != "" && got != operation {
			t.Errorf("the operation is %q, want %q or none", got, operation)
		}
	})
}
