package gardener_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
)

var _ healthcheck.Summary = gardener.Counted

// TestCounted puts results into the words of Gardener's first years.
func TestCounted(t *testing.T) {
	fine := healthcheck.Result{Status: healthcheck.True, Reason: "Fine"}
	bad := healthcheck.Result{Status: healthcheck.False, Reason: "Overheated", Message: "CPU is too hot."}
	worse := healthcheck.Result{Status: healthcheck.Unknown, Reason: "CheckFailed", Message: "disk cannot be read"}
	rolling := healthcheck.Result{Status: healthcheck.Progressing, Reason: "RollingOut", Message: "2 of 3", Deadline: now.Add(time.Hour)}
	skipped := healthcheck.Result{Status: healthcheck.Skipped, Reason: "NoDisk"}
	for name, tt := range map[string]struct {
		results []healthcheck.Result
		want    string
	}{
		"healthy":          {[]healthcheck.Result{fine, fine}, "(2/2) Health checks successful"},
		"one was skipped":  {[]healthcheck.Result{fine, skipped}, "(1/1) Health checks successful"},
		"one is bad":       {[]healthcheck.Result{fine, bad}, "Health check summary: 1/2 unsuccessful, 0/2 progressing, 1/2 successful. 1) Overheated: CPU is too hot."},
		"it takes a while": {[]healthcheck.Result{fine, rolling}, "Health check summary: 0/2 unsuccessful, 1/2 progressing, 1/2 successful. 1) RollingOut: 2 of 3."},
		"all at once": {[]healthcheck.Result{bad, rolling, worse, fine},
			"Health check summary: 2/4 unsuccessful, 1/4 progressing, 1/4 successful. 1) Overheated: CPU is too hot. 2) RollingOut: 2 of 3. 3) CheckFailed: disk cannot be read."},
	} {
		t.Run(name, func(t *testing.T) {
			var named []healthcheck.NamedResult
			for _, r := range tt.results {
				named = append(named, healthcheck.NamedResult{Result: r})
			}
			if diff := cmp.Diff(tt.want, gardener.Counted(named, healthcheck.Merge(now, tt.results...))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
