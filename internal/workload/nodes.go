package workload

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Nodes reads the Nodes of workload clusters. Implementations are safe for
// concurrent use.
type Nodes interface {
	// Get returns a Node from the cache. The caller must not change it. The error
	// is one for which apierrors.IsNotFound holds if the cluster says that there
	// is no such Node, and an UnreadableError if the cluster cannot be read.
	Get(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error)
	// GetLive does the same past the cache, for use before something destructive.
	GetLive(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error)
	// LastSeen is when the cluster answered last; if it never did, when we began
	// to ask.
	LastSeen(ctx context.Context, cluster client.ObjectKey) time.Time
}

// Lister is what Nodes may be as well: all that the cache has of a cluster in one read. To look at a thousand Nodes costs far
// less that way than one by one.
type Lister interface {
	// List returns the Nodes of a cluster from the cache, by name. The caller must not change them. The error is an
	// UnreadableError if the cluster cannot be read.
	List(ctx context.Context, cluster client.ObjectKey) (map[string]*corev1.Node, error)
}

// listFrom is from how many Nodes on it pays to list those of a cluster.
const listFrom = 50

// ForMany returns nodes for one look at n Nodes of a cluster: if they are many, and nodes can list them, Get answers by one
// list. It says how the Nodes were when it was called, so it must not be kept.
func ForMany(ctx context.Context, nodes Nodes, cluster client.ObjectKey, n int) Nodes {
	lister, ok := nodes.(Lister)
	if !ok || n < listFrom {
		return nodes
	}
	all, err := lister.List(ctx, cluster)
	return &listed{Nodes: nodes, cluster: cluster, all: all, err: err}
}

// listed are the Nodes of one cluster, read at once, or why they could not be read.
type listed struct {
	Nodes

	cluster client.ObjectKey
	all     map[string]*corev1.Node
	err     error
}

// Get implements Nodes.
func (l *listed) Get(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	if cluster != l.cluster {
		return l.Nodes.Get(ctx, cluster, name)
	}
	if l.err != nil {
		return nil, l.err
	}
	if node, ok := l.all[name]; ok {
		return node, nil
	}
	return nil, fmt.Errorf("getting a Node of %s: %w", cluster, apierrors.NewNotFound(corev1.Resource("nodes"), name))
}

// UnreadableError says that a workload cluster did not answer.
type UnreadableError struct {
	// Cause is one phrase for people, the same for the same problem.
	Cause string
	// Err is what happened.
	Err error
	// Announced is set if an event comes when the cluster can be read again, or the cause becomes another one. There is no need to try
	// before.
	Announced bool
}

func (e *UnreadableError) Error() string { return e.Cause }

// Unwrap returns what happened.
func (e *UnreadableError) Unwrap() error { return e.Err }

// Unreadable returns the cause if err says that the cluster cannot be read.
func Unreadable(err error) (cause string, ok bool) {
	unreadable, ok := errors.AsType[*UnreadableError](err)
	if !ok {
		return "", false
	}
	return unreadable.Cause, true
}
