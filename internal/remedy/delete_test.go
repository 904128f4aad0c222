package remedy_test

import (
	"testing"

	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

func TestDelete(t *testing.T) {
	f := newFixture(t)
	f.mustApply(t, remedy.Delete, "deleted, since no controller owns it")
	expect.Gone(t.Context(), t, f.c, f.machine)
}

// TestDeleteWithFinalizer: it is the finalizer's part to tear the Machine down.
func TestDeleteWithFinalizer(t *testing.T) {
	f := newFixture(t, build.Finalizer("test.sickbay.dev/keep"))
	f.mustApply(t, remedy.Delete, "deleted, since no controller owns it")
	if f.stored(t).DeletionTimestamp.IsZero() {
		t.Error("it is not being deleted")
	}
}

// TestDeleteAnotherOfThatName: the new Machine is well.
func TestDeleteAnotherOfThatName(t *testing.T) {
	f := newFixture(t)
	f.remove(t)
	build.Create(t.Context(), t, f.c, build.Machine(f.ns, "m"))
	if _, err := f.apply(t, remedy.Delete); err == nil {
		t.Error("no error")
	}
	if f.stored(t).UID == f.machine.UID {
		t.Error("the test is not about another Machine")
	}
}
