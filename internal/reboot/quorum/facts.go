package quorum

// Facts are what is known of the rest of a control plane when one of its hosts is to be cycled.
type Facts struct {
	// Cycles names the RebootRemediations that cycle, or may cycle, another machine of the control plane.
	Cycles []string
	// Peers are the other machines of the control plane.
	Peers []Peer
	// Home says whether the control plane belongs to the management cluster itself.
	Home Home
	// ExternalEtcd says that etcd does not run on the machines of the control plane. If that is not known, it is false.
	ExternalEtcd bool
	// Permitted says that a person permits the rest to lose its quorum.
	Permitted bool
}

// Home says which cluster a control plane belongs to.
type Home string

const (
	// HomeUnknown may be the management cluster, so it is treated as such.
	HomeUnknown Home = ""
	// HomeHere is the management cluster itself.
	HomeHere Home = "Here"
	// HomeElsewhere is a workload cluster that another cluster manages.
	HomeElsewhere Home = "Elsewhere"
)

// Peer is another machine of the same control plane.
type Peer struct {
	Name  string
	State State
	// LeftOffBy is the RebootRemediation that left the host off.
	LeftOffBy string
}

// State says whether a machine is up, and if not, why.
type State string

const (
	// Up means that its Node is Ready, and nothing else is wrong.
	Up State = ""
	// Deleting means that the Machine is being deleted.
	Deleting State = "it is being deleted"
	// Sick means that its verdict is unhealthy.
	Sick State = "it is not healthy"
	// NotJoined means that it has no Node yet.
	NotJoined State = "it has no Node yet"
	// HostKeptOff means that somebody keeps its host off.
	HostKeptOff State = "its host is kept off"
	// HostOff means that its host says that it is off.
	HostOff State = "its host is off"
	// NodeGone means that its Node no longer exists.
	NodeGone State = "its Node is gone"
	// NodeNotReady means that its Node exists, but is not Ready.
	NodeNotReady State = "its Node is not Ready"
	// NodeUnreadable means that its Node cannot be read, so the machine does not count as up.
	NodeUnreadable State = "its Node cannot be read"
)
