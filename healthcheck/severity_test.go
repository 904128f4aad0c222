package healthcheck_test

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/severity"
)

// TestSeverity tests the order of Merge.
func TestSeverity(t *testing.T) {
	all := []healthcheck.Status{healthcheck.False, healthcheck.Unknown, healthcheck.Progressing, healthcheck.True, healthcheck.Skipped}
	for i, a := range all {
		for j, b := range all {
			deadline := time.Unix(1, 0)
			merged := healthcheck.Merge(time.Unix(0, 0), healthcheck.Result{Status: a, Deadline: deadline}, healthcheck.Result{Status: b, Deadline: deadline})
			got := severity.Of(string(a)) - severity.Of(string(b))
			if (got < 0) != (i < j) || (got == 0) != (i == j) || (got < 0 && merged.Status != a) {
				t.Errorf("%s compared with %s is %d; merged they are %s", a, b, got, merged.Status)
			}
		}
	}
	if severity.Of("") >= 0 || severity.Of("Great") >= 0 {
		t.Error("what is none of the closed set has a place in it")
	}
}
