package healthcheck_test

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// TestCompare is the order of Merge.
func TestCompare(t *testing.T) {
	all := []healthcheck.Status{healthcheck.False, healthcheck.Unknown, healthcheck.Progressing, healthcheck.True, healthcheck.Skipped}
	for i, a := range all {
		for j, b := range all {
			deadline := time.Unix(1, 0)
			merged := healthcheck.Merge(time.Unix(0, 0), healthcheck.Result{Status: a, Deadline: deadline}, healthcheck.Result{Status: b, Deadline: deadline})
			if got := a.Compare(b); (got < 0) != (i < j) || (got == 0) != (i == j) || (got < 0 && merged.Status != a) {
				t.Errorf("%s compared with %s is %d; merged they are %s", a, b, got, merged.Status)
			}
		}
	}
	if healthcheck.Status("").Compare(healthcheck.Unknown) != 0 || healthcheck.Status("Great").Compare(healthcheck.True) >= 0 {
		t.Error("what is none of the closed set is not taken for Unknown")
	}
}
