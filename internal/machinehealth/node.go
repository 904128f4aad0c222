package machinehealth

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// readNode returns a Node of a cluster, by name.
type readNode = func(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error)

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
