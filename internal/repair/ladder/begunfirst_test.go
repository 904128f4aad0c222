package ladder

import (
	"testing"
	"time"
)

// TestWhatHasBegunGoesFirst: two records of a machine were made in the same second, as the API stores times, and one of them is at work. The other one
// waits for it, whatever their UIDs: at most one action is at work for a machine.
func TestWhatHasBegunGoesFirst(t *testing.T) {
	begun, own := with(byHealthCheck(Sick), works("reboot", time.Minute)).Record, builtin(replace()).Record
	begun.CreationTimestamp = own.CreationTimestamp
	begun.UID, own.UID = "b", "a"
	if !Before(begun, own) {
		t.Error("a record whose power cycle has begun is not waited for: the owner is asked to replace the machine at the same time")
	}
	begun, own = with(byAnnotation(), works("reboot", time.Minute)).Record, askedFor(Healthy).Record
	begun.CreationTimestamp = own.CreationTimestamp
	begun.UID, own.UID = "b", "a"
	if !Before(begun, own) {
		t.Error("what an annotation asked for and has begun is not waited for by what a person asked for")
	}
}
