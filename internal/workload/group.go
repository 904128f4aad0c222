package workload

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// For returns the Nodes for the workers of one controller. At most that many of them wait at once for slow clusters, half of them for one; others get
// ErrBusy. 0 means that all may wait.
func (c *Clusters) For(most int) NodesAndLists { return group{c, callers{most, &waiting{}}} }

// group reads for some callers.
type group struct {
	*Clusters
	callers
}

// Get implements Nodes.
func (g group) Get(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	return g.read(ctx, path{cluster: cluster}, name, func() (client.Reader, error) { return g.Cache.GetReader(ctx, cluster) })
}

// GetLive implements Nodes.
func (g group) GetLive(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	return g.read(ctx, path{cluster: cluster, live: true}, name, func() (client.Reader, error) { return g.Cache.GetUncachedClient(ctx, cluster) })
}

// List implements Lister.
func (g group) List(ctx context.Context, cluster client.ObjectKey) (map[string]*corev1.Node, error) {
	var all corev1.NodeList
	err := g.ask(ctx, g.callers, path{cluster: cluster}, func() (client.Reader, error) { return g.Cache.GetReader(ctx, cluster) },
		func(ctx context.Context, reader client.Reader) error {
			return reader.List(ctx, &all, client.UnsafeDisableDeepCopy)
		})
	if err != nil {
		return nil, err
	}
	byName := make(map[string]*corev1.Node, len(all.Items))
	for i := range all.Items {
		byName[all.Items[i].Name] = &all.Items[i]
	}
	return byName, nil
}

func (g group) read(ctx context.Context, by path, name string, connect func() (client.Reader, error)) (*corev1.Node, error) {
	node := &corev1.Node{}
	err := g.ask(ctx, g.callers, by, connect, func(ctx context.Context, reader client.Reader) error {
		return reader.Get(ctx, client.ObjectKey{Name: name}, node)
	})
	if err != nil {
		return nil, err
	}
	return node, nil
}
