package remediation

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// nodeRead is one Node that is read past the cache before it is asked for. Others are read when they are asked for.
type nodeRead struct {
	workload.Nodes
	cluster client.ObjectKey
	name    string
	node    *corev1.Node
	err     error
	// at is when it was read.
	at time.Time
}

// GetLive implements workload.Nodes.
func (n *nodeRead) GetLive(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	if cluster != n.cluster || name != n.name {
		return n.Nodes.GetLive(ctx, cluster, name)
	}
	return n.node, n.err
}

// readNode reads the Node.
func (r *Reader) readNode(ctx context.Context, n *nodeRead) {
	n.node, n.err = n.Nodes.GetLive(ctx, n.cluster, n.name)
	n.at = r.Clock.Now()
}

// judgedAt returns the time at which a Machine is judged: other reads may have taken longer than that of its Node, which may have recovered since.
func (r *Reader) judgedAt(v *view) time.Time {
	if v.nodeRead != nil {
		return v.nodeRead.at
	}
	return r.Clock.Now()
}

// nodeToRead returns the Node of a machine to be read; nil if the caches do not show which one it is.
func (r *Reader) nodeToRead(v, shown *view) *nodeRead {
	if v.how < bound || r.OpenShift || shown == nil || shown.machine == nil || !shown.machine.Status.NodeRef.IsDefined() {
		return nil
	}
	return &nodeRead{Nodes: r.Observer.Nodes, cluster: clusterKey(v.facts.Record), name: shown.machine.Status.NodeRef.Name}
}

// liveNodes returns the Nodes past the cache, as a view is judged by them.
func (r *Reader) liveNodes(v *view) workload.Nodes {
	if v.nodeRead != nil {
		return v.nodeRead
	}
	return r.Observer.Nodes
}

// Marks that other systems leave on a Node while they work on it.
const (
	// releaseTaint is the taint with which NVSentinel hands a Node to exactly one other system.
	releaseTaint = "nvsentinel.dgxc.nvidia.com/external-remediation"
	// nvsentinelState is the label with NVSentinel's progress on a Node.
	nvsentinelState = "dgxc.nvidia.com/nvsentinel-state"
)

// harmlessStates are those in which NVSentinel has not begun to work on a Node, or has done what it can.
var harmlessStates = []string{"", "quarantined", "drain-failed", "remediation-succeeded", "remediation-failed"}

// workOfOthers names the other system that works on a Node; empty if none does. Asked reports that somebody wants the Machine remediated by Cluster
// API: that permits to act on a Node that NVSentinel has given away.
func workOfOthers(node *corev1.Node, asked bool) ladder.Cause {
	if node == nil {
		return ladder.Cause{}
	}
	released := slices.IndexFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == releaseTaint })
	state := node.Labels[nvsentinelState]
	switch {
	case released >= 0 && asked:
	case released >= 0:
		return ladder.Cause{What: ladder.NodeGivenAway, Name: node.Spec.Taints[released].Value}
	case !slices.Contains(harmlessStates, state):
		return ladder.Cause{What: ladder.NodeWorkedOn, Name: state}
	}
	for _, c := range node.Status.Conditions {
		if c.Status == corev1.ConditionTrue && (c.Type == "MaintenanceInProgress" || c.Type == "DrainInProgress") {
			return ladder.Said(ownwrites.Note("The Node has the condition " + string(c.Type) + ": " + c.Message))
		}
	}
	return ladder.Cause{}
}
