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
	// Get returns a Node from the cache. The caller must not change it. If the cluster has no such Node, apierrors.IsNotFound holds
	// for the error. If the cluster cannot be read, the error is an UnreadableError.
	Get(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error)
	// GetLive does the same past the cache, for use before something destructive.
	GetLive(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error)
	// LastSeen returns when the cluster last answered; if it never did, when we began to ask.
	LastSeen(ctx context.Context, cluster client.ObjectKey) time.Time
}

// Lister is an optional interface of Nodes: it returns all cached Nodes of a cluster in one read. For a thousand Nodes, that costs far
// less than a thousand reads.
type Lister interface {
	// List returns the Nodes of a cluster from the cache, by name. The caller must not change them. The error is an
	// UnreadableError if the cluster cannot be read.
	List(ctx context.Context, cluster client.ObjectKey) (map[string]*corev1.Node, error)
}

// listFrom is the number of Nodes from which on a list is cheaper.
const listFrom = 50

// ForMany returns Nodes for reading n Nodes of a cluster at one moment. If they are many, and nodes can list them, Get answers from
// one list. Do not keep the result: it shows the Nodes as they were when ForMany was called.
func ForMany(ctx context.Context, nodes Nodes, cluster client.ObjectKey, n int) Nodes {
	lister, ok := nodes.(Lister)
	if !ok || n < listFrom {
		return nodes
	}
	all, err := lister.List(ctx, cluster)
	return &listed{Nodes: nodes, cluster: cluster, all: all, err: err}
}

// listed are the Nodes of one cluster, read in one list, or the error of that list.
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

// UnreadableError means that a workload cluster did not answer.
type UnreadableError struct {
	// Cause is one phrase for people, and stays the same while the problem does.
	Cause string
	// Err is the underlying error.
	Err error
	// Announced means that an event comes when the cluster can be read again, or when the cause changes. There is no need to retry
	// before.
	Announced bool
}

func (e *UnreadableError) Error() string { return e.Cause }

// Unwrap returns the underlying error.
func (e *UnreadableError) Unwrap() error { return e.Err }

// Unreadable returns the cause if err means that the cluster cannot be read.
func Unreadable(err error) (cause string, ok bool) {
	unreadable, ok := errors.AsType[*UnreadableError](err)
	if !ok {
		return "", false
	}
	return unreadable.Cause, true
}
