// Package settle carries records on without a controller.
//
// It is part of internal/testing.
package settle

import (
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Record stores what the ladder decides about a record at a time, as the remediation controller does, until there is nothing left to
// store. The machine is sick, unless a change says otherwise.
func Record(t testing.TB, c client.Client, r *v1alpha1.MachineRemediation, now time.Time, changes ...func(*ladder.Facts)) {
	t.Helper()
	for range 20 {
		facts := ladder.Alone(r)
		for _, change := range changes {
			change(&facts)
		}
		d := ladder.Decide(facts, now)
		if !d.Store {
			return
		}
		r.Status = d.Status
		if err := c.Status().Update(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("the record does not settle")
}
