package quorum

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

func peers(states ...State) []Peer {
	var all []Peer
	for i, state := range states {
		all = append(all, Peer{Name: "m" + string(rune('1'+i)), State: state})
	}
	return all
}

// TestWaits is the table of when a host waits, and for what.
func TestWaits(t *testing.T) {
	const permission = ". To cycle the host anyway, annotate this RebootRemediation with sickbay.dev/allow-quorum-loss=true"
	leftOff := []Peer{{Name: "m1", LeftOffBy: "r1", State: HostOff}, {Name: "m2"}, {Name: "m3"}, {Name: "m4"}}
	for name, tt := range map[string]struct {
		facts Facts
		want  string
	}{
		"three, the others are up":   {Facts{Peers: peers(Up, Up), Home: HomeHere}, ""},
		"of which one is sick":       {Facts{Peers: peers(Sick, Up), Home: HomeHere}, "Waiting until 2 of the 2 other machines of the control plane are up; not up: m1 (it is not healthy)" + permission},
		"or goes":                    {Facts{Peers: peers(Up, Deleting), Home: HomeElsewhere}, "Waiting until 2 of the 2 other machines of the control plane are up; not up: m2 (it is being deleted)" + permission},
		"or comes":                   {Facts{Peers: peers(Up, Up, NotJoined), Home: HomeElsewhere}, "Waiting until 3 of the 3 other machines of the control plane are up; not up: m3 (it has no Node yet)" + permission},
		"five can spare one":         {Facts{Peers: peers(HostOff, Up, Up, Up), Home: HomeHere}, ""},
		"and not two":                {Facts{Peers: peers(HostKeptOff, Up, NodeGone, Up), Home: HomeElsewhere}, "Waiting until 3 of the 4 other machines of the control plane are up; not up: m1 (its host is kept off), m3 (its Node is gone)" + permission},
		"four can spare none":        {Facts{Peers: peers(Up, NodeNotReady, Up), Home: HomeHere}, "Waiting until 3 of the 3 other machines of the control plane are up; not up: m2 (its Node is not Ready)" + permission},
		"a person permits it":        {Facts{Peers: peers(Sick, NodeGone), Home: HomeHere, Permitted: true}, ""},
		"etcd runs elsewhere":        {Facts{Peers: peers(Sick, Up), Home: HomeHere, ExternalEtcd: true}, ""},
		"and nobody else serves":     {Facts{Peers: peers(Sick, Sick), Home: HomeElsewhere, ExternalEtcd: true}, "Waiting until 1 of the 2 other machines of the control plane are up; not up: m1 (it is not healthy), m2 (it is not healthy)" + permission},
		"two here":                   {Facts{Peers: peers(Up), Home: HomeHere}, "Waiting: a control plane of 2 has no quorum without this machine, and it belongs to the management cluster, which has to switch the host on again" + permission},
		"two here, etcd elsewhere":   {Facts{Peers: peers(Up), Home: HomeHere, ExternalEtcd: true}, ""},
		"two elsewhere":              {Facts{Peers: peers(Up), Home: HomeElsewhere}, ""},
		"of which the other is sick": {Facts{Peers: peers(Sick), Home: HomeElsewhere}, "Waiting until 1 of the 1 other machines of the control plane are up; not up: m1 (it is not healthy)" + permission},
		"one here":                   {Facts{Home: HomeHere, ExternalEtcd: true}, "Waiting: a control plane of 1 has no quorum without this machine, and it belongs to the management cluster, which has to switch the host on again" + permission},
		"one here, permitted":        {Facts{Home: HomeHere, Permitted: true}, ""},
		"one elsewhere":              {Facts{Home: HomeElsewhere}, ""},
		"one, nobody knows where":    {Facts{}, "Waiting: a control plane of 1 has no quorum without this machine, and it belongs to what may be the management cluster, which would have to switch the host on again" + permission},
		"a cluster that is cut off":  {Facts{Peers: peers(NodeUnreadable, Up)}, "Waiting until 2 of the 2 other machines of the control plane are up; not up: m1 (its Node cannot be read)" + permission},
		"one is cycled":              {Facts{Cycles: []string{"r2", "r1"}, Peers: peers(Up, Up, Up, Up), Home: HomeElsewhere}, "Waiting for r1: only one machine of a control plane is cycled at a time"},
		"which nobody can permit":    {Facts{Cycles: []string{"r1"}, Peers: peers(Up, Up), Permitted: true}, "Waiting for r1: only one machine of a control plane is cycled at a time"},
		"one was left off":           {Facts{Peers: leftOff, Home: HomeElsewhere}, "Waiting for the host of machine m1, which RebootRemediation r1 left off: only one host of a control plane may be off at a time" + permission},
		"which a person can permit":  {Facts{Peers: leftOff, Home: HomeHere, Permitted: true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Waits(tt.facts)); diff != "" {
				t.Errorf("sentence (-want +got):\n%s", diff)
			}
			if strings.HasSuffix(tt.want, permission) {
				if tt.facts.Permitted = true; Waits(tt.facts) != "" {
					t.Error("the sentence offers a way that does not help")
				}
			}
		})
	}
}

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
