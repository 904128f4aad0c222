package verdict

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// Facts is everything that the verdict on a Machine depends on, except the time. Decide does not change it.
type Facts struct {
	Machine *clusterv1.Machine
	Cluster *clusterv1.Cluster
	Rules   mhcspec.Rules
	// More are the rules of the other MachineHealthChecks that select the Machine, the younger ones last.
	More []mhcspec.Rules
	Node NodeFacts
	// HostErrorGone reports whether the host, read past the cache, has no error now. That says little, because its operator may
	// be retrying; but it is no time to act.
	HostErrorGone bool
	// HostQuiet reports whether the host has no error now, by the cache. A healthy Machine does not become unhealthy then.
	HostQuiet bool
	// WasHealthy reports whether the stored verdict is True.
	WasHealthy bool
	// HeardAt is when the heartbeats of the Node's conditions were last known, for a look ahead: no more of them fall silent after that. It is zero for a
	// judgement of now.
	HeardAt time.Time
	// GracePeriod is how long a healthy Machine stays healthy after the connection to its Node is lost.
	GracePeriod time.Duration
}

// By returns the facts for the verdict by the rules of one MachineHealthCheck alone.
func (f Facts) By(rules mhcspec.Rules) Facts {
	f.Rules, f.More = rules, nil
	return f
}

// NodeState is what is known about the Node of a Machine.
type NodeState int

const (
	// NodeNone means that the Machine has no nodeRef.
	NodeNone NodeState = iota
	// NodeFound means that the Node was read.
	NodeFound
	// NodeGone means that the workload cluster answered that there is no such Node.
	NodeGone
	// NodeUnreadable means that the workload cluster did not answer.
	NodeUnreadable
)

// NodeFacts is what was observed in the workload cluster.
type NodeFacts struct {
	State NodeState
	// Node is set if State is NodeFound.
	Node *corev1.Node
	// Cause and LostAt are set if State is NodeUnreadable: why, and since when.
	Cause  string
	LostAt time.Time
	// Announced is set if an event says when the Node can be read again.
	Announced bool
}
