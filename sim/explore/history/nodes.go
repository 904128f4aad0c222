package history

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/workload"
)

// nodes are the Nodes of the workload cluster as a process reads them, and writes them by a client.
type nodes struct {
	p      *Process
	client client.Client
}

var (
	_ workload.Nodes  = nodes{}
	_ workload.Writer = nodes{}
)

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
		return nil, n.lost()
	}
	n.p.World.hears(node)
	return node, err
}

// Client implements workload.Writer.
func (n nodes) Client(context.Context, client.ObjectKey) (client.Client, error) {
	if n.p.World.Unreadable {
		return nil, n.lost()
	}
	return workloadCluster{n.client, n.p.client.Live()}, nil
}

// Version implements workload.Writer.
func (n nodes) Version(context.Context, client.ObjectKey) (*version.Info, error) {
	if n.p.World.Unreadable {
		return nil, n.lost()
	}
	return &version.Info{Major: "1", Minor: "34"}, nil
}

func (nodes) lost() error {
	return &workload.UnreadableError{Cause: "connection to the workload cluster is down"}
}

// workloadCluster is a client of the workload cluster, which has only Nodes. It reads past the cache.
type workloadCluster struct {
	client.Client
	live client.Reader
}

// Get implements client.Reader.
func (c workloadCluster) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if _, ok := obj.(*corev1.Node); !ok {
		return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	}
	return c.live.Get(ctx, key, obj, opts...)
}

// List implements client.Reader.
func (workloadCluster) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return nil
}

// LastSeen implements workload.Nodes.
func (n nodes) LastSeen(context.Context, client.ObjectKey) time.Time {
	if n.p.World.Unreadable {
		return n.p.World.lostAt
	}
	return n.p.World.clock.now
}

// hears adds to a Node as it was read that its kubelet and its detector have just reported.
func (w *World) hears(node *corev1.Node) {
	w.reports(node)
	if machine := machineAt(node.Name); !w.Spec.Metal() || !w.running(machine) {
		return
	}
	for i := range node.Status.Conditions {
		node.Status.Conditions[i].LastHeartbeatTime = metav1.NewTime(w.clock.now)
	}
}
