package fleet

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// nodes are the Nodes of a workload cluster.
type nodes interface {
	create(ctx context.Context, node *corev1.Node) error
	change(ctx context.Context, name string, edit func(*corev1.Node)) error
	remove(ctx context.Context, name string) error
}

// addCluster creates a workload cluster. A hundred real API servers do not fit on a computer, but one does. The difference
// matters: real ones send Nodes in protobuf, those in memory only in JSON.
func (f *Fleet) addCluster(ctx context.Context, c cluster) error {
	create, its := f.World.CreateSynthetic, nodes(memoryNodes{f.World, c.ObjectKey})
	if c.real {
		create, its = f.World.CreateSelfHosted, &realNodes{client: f.World.Client(), known: map[string]*corev1.Node{}}
	}
	f.mutex.Lock()
	f.nodes[c.ObjectKey] = its
	f.mutex.Unlock()
	return create(ctx, c.ObjectKey)
}

// memoryNodes are Nodes on an in-memory API server.
type memoryNodes struct {
	world   *world.World
	cluster client.ObjectKey
}

func (n memoryNodes) create(ctx context.Context, node *corev1.Node) error {
	return n.world.WorkloadClient(n.cluster).Create(ctx, node)
}

func (n memoryNodes) change(ctx context.Context, name string, edit func(*corev1.Node)) error {
	return n.world.ChangeNode(ctx, n.cluster, name, edit)
}

func (n memoryNodes) remove(ctx context.Context, name string) error {
	return n.world.WorkloadClient(n.cluster).Delete(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// realNodes are Nodes on a real API server. Nobody else writes to them.
type realNodes struct {
	client client.Client
	mutex  sync.Mutex
	known  map[string]*corev1.Node
}

func (n *realNodes) create(ctx context.Context, node *corev1.Node) error {
	if err := n.client.Create(ctx, node); err != nil {
		return err
	}
	n.remember(node)
	return nil
}

// change sends only the difference, as a kubelet does.
func (n *realNodes) change(ctx context.Context, name string, edit func(*corev1.Node)) error {
	n.mutex.Lock()
	before, ok := n.known[name]
	n.mutex.Unlock()
	if !ok {
		return fmt.Errorf("there is no node %s", name)
	}
	after := before.DeepCopy()
	edit(after)
	if err := n.client.Status().Patch(ctx, after, client.StrategicMergeFrom(before)); err != nil {
		return err
	}
	n.remember(after)
	return nil
}

func (n *realNodes) remove(ctx context.Context, name string) error {
	n.mutex.Lock()
	delete(n.known, name)
	n.mutex.Unlock()
	return n.client.Delete(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

func (n *realNodes) remember(node *corev1.Node) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	node.ManagedFields = nil
	n.known[node.Name] = node
}
