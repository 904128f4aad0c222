package workload

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Decisive returns nodes for callers that decide something: when they may not wait, they get ErrBusy, which says nothing about
// the cluster.
func Decisive(nodes NodesAndLists) Nodes { return decisive{nodes} }

// NodesAndLists are Nodes that can also be listed.
type NodesAndLists interface {
	Nodes
	Lister
}

type decisive struct{ nodes NodesAndLists }

// Get implements Nodes.
func (d decisive) Get(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	node, err := d.nodes.Get(ctx, cluster, name)
	return node, plain(err)
}

// GetLive implements Nodes.
func (d decisive) GetLive(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	node, err := d.nodes.GetLive(ctx, cluster, name)
	return node, plain(err)
}

// LastSeen implements Nodes.
func (d decisive) LastSeen(ctx context.Context, cluster client.ObjectKey) time.Time {
	return d.nodes.LastSeen(ctx, cluster)
}

// List implements Lister.
func (d decisive) List(ctx context.Context, cluster client.ObjectKey) (map[string]*corev1.Node, error) {
	all, err := d.nodes.List(ctx, cluster)
	return all, plain(err)
}

func plain(err error) error {
	if errors.Is(err, ErrBusy) {
		return ErrBusy
	}
	return err
}
