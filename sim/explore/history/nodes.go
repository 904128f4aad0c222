package history

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/workload"
)

// nodes are the Nodes of the workload cluster as a process reads them.
type nodes struct{ p *Process }

var _ workload.Nodes = nodes{}

// Get implements workload.Nodes.
func (n nodes) Get(ctx context.Context, _ client.ObjectKey, name string) (*corev1.Node, error) {
	return n.read(ctx, n.p.client, name)
}

// GetLive implements workload.Nodes.
func (n nodes) GetLive(ctx context.Context, _ client.ObjectKey, name string) (*corev1.Node, error) {
	return n.read(ctx, n.p.client.Live(), name)
}

func (n nodes) read(ctx context.Context, reader client.Reader, name string) (*corev1.Node, error) {
	node := &corev1.Node{}
	err := reader.Get(ctx, client.ObjectKey{Name: name}, node)
	if n.p.World.Unreadable || err == errNoAnswer { //nolint:errorlint // it is never wrapped
		return nil, &workload.UnreadableError{Cause: "connection to the workload cluster is down"}
	}
	return node, err
}

// LastSeen implements workload.Nodes.
func (n nodes) LastSeen(context.Context, client.ObjectKey) time.Time {
	if n.p.World.Unreadable {
		return n.p.World.lostAt
	}
	return n.p.World.clock.now
}
