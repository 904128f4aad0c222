package remedy_test

import (
	"testing"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// TestDeleteMachineIsBound: the deletion depends only on the identity of the Machine.
func TestDeleteMachineIsBound(t *testing.T) {
	tests := map[string]bound{
		"the Machine is written to":    {anotherAnnotation, true},
		"its status is written":        {conditionBecomes("Disk", "True", "Fine"), true},
		"the Machine is gone":          {machineGone, false},
		"another Machine has its name": {anotherMachine, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t)
			tt.check(t, f, func(m *clusterv1.Machine) error { return remedy.DeleteMachine(t.Context(), f.c, m) })
			if tt.written {
				expect.Gone(t.Context(), t, f.c, f.machine)
			}
		})
	}
}

// TestDeleteMachineWithFinalizer: the owner of the finalizer tears the Machine down. Deleting it twice does no
// harm.
func TestDeleteMachineWithFinalizer(t *testing.T) {
	f := newHarness(t, build.Finalizer("test.sickbay.dev/keep"))
	for range 2 {
		if err := remedy.DeleteMachine(t.Context(), f.c, f.stored(t)); err != nil {
			t.Fatal(err)
		}
		if f.stored(t).DeletionTimestamp.IsZero() {
			t.Error("it is not being deleted")
		}
	}
}
