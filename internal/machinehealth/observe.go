package machinehealth

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/targets"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// Observer reads the facts about Machines.
type Observer struct {
	Nodes workload.Nodes
	// Hosts are the bare-metal hosts. Without them, nothing is found about those.
	Hosts *Hosts
	// GracePeriod is how long a healthy Machine stays so after the connection to
	// its workload cluster was lost.
	GracePeriod time.Duration
}

// Facts reads what the verdict on machine depends on. It reads the Node from the
// cache, or past it if live is set.
func (o *Observer) Facts(ctx context.Context, machine *clusterv1.Machine, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, live bool) (Facts, error) {
	read := o.read
	if live {
		read = o.Nodes.GetLive
	}
	return o.facts(ctx, machine, mhc, cluster, read, live)
}

// CachedFacts reads what the verdict on machine depends on from the caches alone: a Node that the cache does not have
// counts as gone. A verdict by them is no reason to act, but cheap enough to look at every Machine at once.
func (o *Observer) CachedFacts(ctx context.Context, machine *clusterv1.Machine, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster) (Facts, error) {
	return o.facts(ctx, machine, mhc, cluster, o.Nodes.Get, false)
}

// readNode returns a Node of a cluster by its name.
type readNode = func(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error)

func (o *Observer) facts(ctx context.Context, machine *clusterv1.Machine, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, read readNode, live bool) (Facts, error) {
	node, err := o.node(ctx, machine, read)
	if err != nil {
		return Facts{}, err
	}
	facts := Facts{
		Machine: machine, Cluster: cluster, Rules: RulesOf(mhc), Node: node,
		WasHealthy: isTrue(machine.Status.Conditions, ConditionType), GracePeriod: o.GracePeriod,
	}
	if !facts.hostSick() {
		return facts, nil
	}
	host, err := o.Hosts.of(ctx, machine, live)
	if err != nil {
		return Facts{}, fmt.Errorf("reading the host of machine %s: %w", client.ObjectKeyFromObject(machine), err)
	}
	facts.HostQuiet = host.Error == ""
	facts.HostErrorGone = live && facts.HostQuiet
	return facts, nil
}

func (o *Observer) node(ctx context.Context, machine *clusterv1.Machine, read readNode) (NodeFacts, error) {
	if !machine.Status.NodeRef.IsDefined() {
		return NodeFacts{State: NodeNone}, nil
	}
	cluster := targets.ClusterOf(machine)
	node, err := read(ctx, cluster, machine.Status.NodeRef.Name)
	if err == nil {
		return NodeFacts{State: NodeFound, Node: node}, nil
	}
	if apierrors.IsNotFound(err) {
		return NodeFacts{State: NodeGone}, nil
	}
	if unreadable, ok := errors.AsType[*workload.UnreadableError](err); ok {
		return NodeFacts{State: NodeUnreadable, Cause: unreadable.Cause, LostAt: o.Nodes.LastSeen(ctx, cluster), Announced: unreadable.Announced}, nil
	}
	return NodeFacts{}, fmt.Errorf("reading the Node of machine %s: %w", client.ObjectKeyFromObject(machine), err)
}

// read believes the cache in everything but that a Node is gone: it may not have
// seen a Node yet that has just appeared, and a Node that is gone has no grace.
func (o *Observer) read(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	node, err := o.Nodes.Get(ctx, cluster, name)
	if !apierrors.IsNotFound(err) {
		return node, err
	}
	return o.Nodes.GetLive(ctx, cluster, name)
}
