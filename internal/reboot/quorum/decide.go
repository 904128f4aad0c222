package quorum

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// Permission is the annotation, on a RebootRemediation or a Cluster, by which a person permits the loss of the quorum.
const Permission = rebootannotation.AllowQuorumLoss

// Waits says why the host has to wait; empty if it may be switched off now.
func Waits(f Facts) string {
	if len(f.Cycles) > 0 {
		return fmt.Sprintf("Waiting for %s: only one machine of a control plane is cycled at a time", slices.Min(f.Cycles))
	}
	reason := f.reason()
	if reason == "" || f.Permitted {
		return ""
	}
	return reason + ". To cycle the host anyway, annotate this RebootRemediation with " + Permission + "=true"
}

// reason says what a person would have to permit.
func (f *Facts) reason() string {
	peers := slices.SortedFunc(slices.Values(f.Peers), func(a, b Peer) int { return cmp.Compare(a.Name, b.Name) })
	var down []string
	for _, p := range peers {
		if p.LeftOffBy != "" {
			return fmt.Sprintf("Waiting for the host of machine %s, which RebootRemediation %s left off: only one host of a control plane may be off at a time", p.Name, p.LeftOffBy)
		}
		if p.State != Up {
			down = append(down, p.Name+" ("+string(p.State)+")")
		}
	}
	switch needed := f.needed(); {
	case needed > len(peers):
		return f.alone()
	case needed > len(peers)-len(down):
		return fmt.Sprintf("Waiting until %d of the %d other machines of the control plane are up; not up: %s", needed, len(peers), strings.Join(down, ", "))
	}
	return ""
}

// needed returns how many peers have to be up while the host is off. A control plane of one or two machines loses its
// quorum anyway: then all others have to be up, which is enough if another cluster can switch the host on again.
func (f *Facts) needed() int {
	n := len(f.Peers)
	switch {
	case f.Home != HomeElsewhere && n == 0:
		return 1
	case f.ExternalEtcd, f.Home == HomeElsewhere && n < 2:
		return min(n, 1)
	}
	return (n+1)/2 + 1
}

// alone says that the rest cannot keep a quorum, however many are up.
func (f *Facts) alone() string {
	whose := "the management cluster, which has to switch the host on again"
	if f.Home == HomeUnknown {
		whose = "what may be the management cluster, which would have to switch the host on again"
	}
	return fmt.Sprintf("Waiting: a control plane of %d has no quorum without this machine, and it belongs to %s", len(f.Peers)+1, whose)
}
