package machinehealth

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// Observer reads the facts about Machines.
type Observer struct {
	Nodes workload.Nodes
	// Hosts reads the bare-metal hosts. If nil, none are found.
	Hosts *Hosts
	// GracePeriod is how long a healthy Machine stays healthy after the connection to its workload cluster is lost.
	GracePeriod time.Duration
}

// Facts reads what the verdict on machine depends on. It reads the Node from the
// cache, or past it if live is set.
func (o *Observer) Facts(ctx context.Context, machine *clusterv1.Machine, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, live bool) (verdict.Facts, error) {
	read := o.read
	if live {
		read = o.Nodes.GetLive
	}
	return o.facts(ctx, machine, mhc, cluster, read, live)
}

// CachedFacts reads what the verdict on machine depends on from the caches alone: a Node that is not in the cache counts
// as gone. Such a verdict is no reason to act, but cheap enough to judge all Machines at once.
func (o *Observer) CachedFacts(ctx context.Context, machine *clusterv1.Machine, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster) (verdict.Facts, error) {
	return o.facts(ctx, machine, mhc, cluster, o.Nodes.Get, false)
}

// readNode returns a Node of a cluster, by name.
type readNode = func(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error)

func (o *Observer) facts(ctx context.Context, machine *clusterv1.Machine, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, read readNode, live bool) (verdict.Facts, error) {
	node, err := o.node(ctx, machine, read)
	if err != nil {
		return verdict.Facts{}, err
	}
	facts := verdict.Facts{
		Machine: machine, Cluster: cluster, Rules: mhcspec.RulesOf(mhc), Node: node,
		WasHealthy: meta.IsStatusConditionTrue(machine.Status.Conditions, verdict.ConditionType), GracePeriod: o.GracePeriod,
	}
	if !facts.HostSick() {
		return facts, nil
	}
	host, err := o.Hosts.of(ctx, machine, live)
	if err != nil {
		return verdict.Facts{}, fmt.Errorf("reading the host of machine %s: %w", client.ObjectKeyFromObject(machine), err)
	}
	facts.HostQuiet = host.Error == ""
	facts.HostErrorGone = live && facts.HostQuiet
	return facts, nil
}

func (o *Observer) node(ctx context.Context, machine *clusterv1.Machine, read readNode) (verdict.NodeFacts, error) {
	if !machine.Status.NodeRef.IsDefined() {
		return verdict.NodeFacts{State: verdict.NodeNone}, nil
	}
	cluster := mhcspec.ClusterOf(machine)
	node, err := read(ctx, cluster, machine.Status.NodeRef.Name)
	if err == nil {
		return verdict.NodeFacts{State: verdict.NodeFound, Node: node}, nil
	}
	if apierrors.IsNotFound(err) {
		return verdict.NodeFacts{State: verdict.NodeGone}, nil
	}
	if unreadable, ok := errors.AsType[*workload.UnreadableError](err); ok {
		return verdict.NodeFacts{State: verdict.NodeUnreadable, Cause: unreadable.Cause, LostAt: o.Nodes.LastSeen(ctx, cluster), Announced: unreadable.Announced}, nil
	}
	return verdict.NodeFacts{}, fmt.Errorf("reading the Node of machine %s: %w", client.ObjectKeyFromObject(machine), err)
}

// read trusts the cache, except that a Node is gone: the cache may not show a new Node yet, and a Node that is gone gets
// no grace period.
func (o *Observer) read(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	node, err := o.Nodes.Get(ctx, cluster, name)
	if !apierrors.IsNotFound(err) {
		return node, err
	}
	return o.Nodes.GetLive(ctx, cluster, name)
}

// owner returns the MachineHealthCheck that machine belongs to, or nil.
func (r *Reconciler) owner(ctx context.Context, machine *clusterv1.Machine) (*clusterv1.MachineHealthCheck, error) {
	mhcs, err := mhcspec.MachineHealthChecksFor(ctx, r.Client, machine)
	if err != nil {
		return nil, err
	}
	return r.Selectors.Owner(machine, mhcs), nil
}

// cluster returns the Cluster of a machine. It is not copied, because its topology can be large: the caller must not
// change it.
func (r *Reconciler) cluster(ctx context.Context, machine *clusterv1.Machine) (*clusterv1.Cluster, error) {
	cluster := &clusterv1.Cluster{}
	if err := r.Client.Get(ctx, mhcspec.ClusterOf(machine), cluster, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("getting the Cluster of machine %s: %w", client.ObjectKeyFromObject(machine), err)
	}
	return cluster, nil
}
