package verdict

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestFutureTransitions: a transition in the future is found if the verdict depends on it, and no other.
func TestFutureTransitions(t *testing.T) {
	hour, soon := now.Add(time.Hour), now.Add(30*time.Second)
	for name, tt := range map[string]struct {
		facts Facts
		want  []string
	}{
		"none":                        {facts(notReady(ago(time.Hour))), nil},
		"now":                         {facts(notReady(now)), nil},
		"a Node condition":            {facts(notReady(hour)), []string{"Node condition Ready true"}},
		"by a clock that is ahead":    {facts(notReady(soon)), []string{"Node condition Ready false"}},
		"a Node condition that is ok": {facts(node(build.NodeReady("True", hour))), nil},
		"a Machine condition":         {facts(machine(noDisk(hour))), []string{"Machine condition Disk true"}},
		"the startup": {
			facts(machineWithoutNode(build.Condition("InfrastructureReady", "True", "R", hour)), cluster(build.Condition("ControlPlaneInitialized", "True", "R", soon))),
			[]string{"Cluster condition ControlPlaneInitialized false", "Machine condition InfrastructureReady true"},
		},
		"the startup, which is over": {facts(cluster(build.Condition("ControlPlaneInitialized", "True", "R", hour))), nil},
	} {
		var got []string
		for _, one := range FutureTransitions(tt.facts, now) {
			got = append(got, fmt.Sprintf("%s %t", one.Condition, one.Disregarded))
		}
		if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
