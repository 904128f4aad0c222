package ladder

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestDoneIsDone: the cycle has succeeded at the very moment at which its asker takes back what was asked for. What is done stays done.
func TestDoneIsDone(t *testing.T) {
	f := with(byAnnotation(), works("reboot", time.Minute), requestSays("True", "The Node is back"), withdrawn)
	f, _ = decideAll(f, noon)
	s := &f.Record.Status
	if last := Last(s); last.Result != v1alpha1.ResultSucceeded || Success(s).Reason != v1alpha1.ReasonDone {
		t.Errorf("the cycle has succeeded, and its attempt is %s, the record %s: %s", last.Result, Success(s).Reason, Success(s).Message)
	}
}
