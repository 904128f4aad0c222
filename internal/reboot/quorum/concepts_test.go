package quorum

import (
	"fmt"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestConcepts . -update

// TestConceptsQuorum renders how many of the other machines have to be up, by the size of the
// control plane.
func TestConceptsQuorum(t *testing.T) {
	table := [][]string{{"machines of the control plane", "others that have to be up, in a workload cluster", "in the management cluster itself", "in it, and etcd runs elsewhere"}}
	for n := 1; n <= 7; n++ {
		table = append(table, []string{
			fmt.Sprint(n), fewest(n, Facts{Home: HomeElsewhere}), fewest(n, Facts{Home: HomeHere}), fewest(n, Facts{Home: HomeHere, ExternalEtcd: true}),
		})
	}
	docs.Section(t, "../../../docs/power-cycles.md", "reboot quorum", docs.Table(table...))
}

// fewest returns how many of the others must at least be up for a host to be cycled.
func fewest(machines int, f Facts) string {
	for up := range machines {
		f.Peers = make([]Peer, machines-1)
		for i := up; i < machines-1; i++ {
			f.Peers[i].State = HostOff
		}
		if Waits(f) == "" {
			return fmt.Sprint(up)
		}
	}
	return "never cycled"
}
