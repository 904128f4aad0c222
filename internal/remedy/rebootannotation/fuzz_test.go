package rebootannotation_test

import (
	"testing"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// FuzzRebootAnnotations: whatever the annotations of a Machine, a time that cannot be parsed delays nothing, and no operation ID is made
// up.
func FuzzRebootAnnotations(f *testing.F) {
	f.Add("uid/1", "uid/1", "2026-11-23T00:00:00Z")
	f.Add("", "", "")
	f.Add("x", "y", "9999-12-31T23:59:59-23:59")
	f.Fuzz(func(t *testing.T, asked, operation, at string) {
		machine := &clusterv1.Machine{}
		machine.Annotations = map[string]string{rebootannotation.Request: asked, rebootannotation.Operation: operation, rebootannotation.RequestedAt: at}
		if got := rebootannotation.OperationOf(machine); got != "" && got != operation {
			t.Errorf("the operation is %q, want %q or none", got, operation)
		}
		rebootannotation.ByHealthCheck(machine)
		if _, err := time.Parse(time.RFC3339, at); err != nil && !rebootannotation.DueAt(machine, time.Hour).IsZero() {
			t.Errorf("somebody waits for %q", at)
		}
	})
}
