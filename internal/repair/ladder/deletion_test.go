package ladder

import (
	"testing"
	"time"
)

// TestYoungDeletionCostsNoWrite: most machines are gone before anybody needs to know that their deletion has begun.
func TestYoungDeletionCostsNoWrite(t *testing.T) {
	before := with(builtin(replace()), works("replace", time.Minute))
	said := Decide(before, noon).Status
	young := with(builtin(replace()), works("replace", time.Minute), deleting(time.Second))
	young.Record.Status = said
	if d := Decide(young, noon); d.Store {
		t.Errorf("it stores %+v", d.Status)
	}
	old := with(builtin(replace()), works("replace", time.Minute), deleting(quickDeletion))
	old.Record.Status = said
	if d := Decide(old, noon); !d.Store || Progress(&d.Status).Message != "Step replace: the machine is being deleted; waits until it is gone" {
		t.Errorf("after a while it stores %t, and says %q", d.Store, Progress(&d.Status).Message)
	}
}
