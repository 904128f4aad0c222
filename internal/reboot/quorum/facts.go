package quorum

// Facts are what is known of a control plane beside the machine whose host is to be cycled.
type Facts struct {
	// Cycles name the RebootRemediations that cycle another machine of the control plane, or may.
	Cycles []string
	// Peers are the other machines of the control plane.
	Peers []Peer
	// Home says whether the control plane is that of the management cluster itself.
	Home Home
	// ExternalEtcd reports that etcd does not run on the machines of the control plane. What is not known is assumed to.
	ExternalEtcd bool
	// Permitted reports that a person allows the rest to lose its quorum.
	Permitted bool
}

// Home says where a control plane belongs.
type Home string

const (
	// HomeUnknown may be the management cluster, so it is treated as such.
	HomeUnknown Home = ""
	// HomeHere is the management cluster itself.
	HomeHere Home = "Here"
	// HomeElsewhere is a workload cluster that is managed from another one.
	HomeElsewhere Home = "Elsewhere"
)

// Peer is another machine of the same control plane.
type Peer struct {
	Name  string
	State State
	// LeftOffBy is the RebootRemediation that has ended and left the host off.
	LeftOffBy string
}

// State says whether a machine is up, and else why not.
type State string

const (
	// Up means that its Node is Ready, and that nothing speaks against the machine.
	Up State = ""
	// Deleting means that the Machine is on its way out.
	Deleting State = "it is being deleted"
	// Sick means that its health check says so.
	Sick State = "it is not healthy"
	// NotJoined means that it has no Node yet.
	NotJoined State = "it has no Node yet"
	// HostHeldOff means that somebody keeps its host off.
	HostHeldOff State = "its host is kept off"
	// HostOff means that its host says that it is off.
	HostOff State = "its host is off"
	// NodeGone means that its Node does not exist any more.
	NodeGone State = "its Node is gone"
	// NodeNotReady means that its Node is there, and not Ready.
	NodeNotReady State = "its Node is not Ready"
	// NodeUnreadable means that the cluster does not say how its Node is, so the machine does not count as up.
	NodeUnreadable State = "its Node cannot be read"
)
