package cycle

// NodeState is what is known of a Node.
type NodeState int

const (
	// NodeNone says that the Machine has none.
	NodeNone NodeState = iota
	// NodeFound says that it was read.
	NodeFound
	// NodeGone says that the workload cluster answered that there is none.
	NodeGone
	// NodeUnreadable says that the workload cluster did not answer.
	NodeUnreadable
)
