package workload

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
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

// UnreadableError says that a workload cluster did not answer.
type UnreadableError struct {
	// Cause is one phrase for people, the same for the same problem.
	Cause string
	// Err is what happened.
	Err error
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
