package verdict

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

var unavailable = verdict{Status: healthcheck.Unknown, Reason: "NodeUnavailable", Message: "Node cannot be read: the line is cut"}

func lost(since time.Time) fact {
	return func(f *Facts) { f.Node = NodeFacts{State: NodeUnreadable, Cause: "the line is cut", LostAt: since} }
}

func wasHealthy(f *Facts) { f.WasHealthy = true }

func TestNodeUnavailable(t *testing.T) {
	noGrace := func(f *Facts) { f.GracePeriod = 0 }
	run(t, map[string]row{
		"was healthy, within the grace period":     {facts(wasHealthy, lost(ago(2*time.Minute))), healthy.in(3 * time.Minute)},
		"was healthy, a nanosecond before its end": {facts(wasHealthy, lost(ago(5*time.Minute-1))), healthy.in(1)},
		"was healthy, at its end":                  {facts(wasHealthy, lost(ago(5*time.Minute))), unavailable},
		"was healthy, no grace":                    {facts(wasHealthy, lost(now), noGrace), unavailable},
		"without a verdict: Unknown at once":       {facts(lost(now)), unavailable},
		"a Machine condition counts in grace": {
			facts(machine(noDisk(ago(time.Hour))), wasHealthy, lost(now)),
			verdict{Status: healthcheck.False, Reason: "DiskUnhealthy", Message: "Machine condition Disk is False for more than 5m0s"},
		},
		"a Machine condition due in grace": {facts(machine(noDisk(ago(4*time.Minute))), wasHealthy, lost(now)), healthy.in(time.Minute)},
		"what was never seen, ever":        {facts(wasHealthy, lost(time.Time{})), unavailable},
	})
}
