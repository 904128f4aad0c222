package cycle_test

import (
	"context"
	"errors"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/workload"
)

// cluster is the workload cluster, which may be unreachable. It checks that nobody touches a Node whose machine has
// power.
type cluster struct {
	harness *harness

	mu sync.Mutex
	// down is set if the cluster does not answer, unpatchable if it refuses patches of Nodes, and halfDown if it answers
	// only reads of single objects.
	down, unpatchable, halfDown bool
	minor                       string
	// touched are the Nodes that were deleted or tainted.
	touched map[types.UID]bool
}

func (c *cluster) set(change func(*cluster)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(c)
	c.harness.page.write()
}

func (c *cluster) unreachable() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return &workload.UnreadableError{Cause: "the line is cut", Err: errors.New("the line is cut")}
	}
	return nil
}

func (c *cluster) touchedNodes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.touched)
}

// by returns the cluster as one process reaches it.
func (c *cluster) by(live client.Client, cfg *rest.Config) workload.Writer {
	return reach{cluster: c, local: workload.Local{Live: live, Config: cfg}}
}

type reach struct {
	cluster *cluster
	local   workload.Local
}

// GetLive implements workload.Writer.
func (r reach) GetLive(ctx context.Context, key client.ObjectKey, name string) (*corev1.Node, error) {
	if err := r.cluster.unreachable(); err != nil {
		return nil, err
	}
	return r.local.GetLive(ctx, key, name)
}

// Client implements workload.Writer.
func (r reach) Client(ctx context.Context, key client.ObjectKey) (client.Client, error) {
	if err := r.cluster.unreachable(); err != nil {
		return nil, err
	}
	c, err := r.local.Client(ctx, key)
	return guarded{c, r.cluster}, err
}

// Version implements workload.Writer.
func (r reach) Version(ctx context.Context, key client.ObjectKey) (*version.Info, error) {
	if err := r.cluster.unreachable(); err != nil {
		return nil, err
	}
	info, err := r.local.Version(ctx, key)
	if err == nil {
		r.cluster.mu.Lock()
		defer r.cluster.mu.Unlock()
		info.Minor = r.cluster.minor
	}
	return info, err
}

// guarded checks the machine before and after each write.
type guarded struct {
	client.Client
	cluster *cluster
}

var errCut = errors.New("dial tcp 192.0.2.1:6443: connection refused")

func (g guarded) cut(patch bool) bool {
	g.cluster.mu.Lock()
	defer g.cluster.mu.Unlock()
	return g.cluster.halfDown || (patch && g.cluster.unpatchable)
}

// List implements client.Reader.
func (g guarded) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if g.cut(false) {
		return errCut
	}
	return g.Client.List(ctx, list, opts...)
}

// Delete implements client.Writer.
func (g guarded) Delete(ctx context.Context, obj client.Object, opts ...client.DeleteOption) error {
	if g.cut(false) {
		return errCut
	}
	var options client.DeleteOptions
	options.ApplyOptions(opts)
	if options.Preconditions == nil || options.Preconditions.UID == nil {
		g.cluster.harness.Errorf("Node %s is deleted, whichever it is", obj.GetName())
	}
	defer g.cluster.mustBeOff(obj.GetName(), obj.GetUID(), "deleted")()
	return g.Client.Delete(ctx, obj, opts...)
}

// Patch implements client.Writer.
func (g guarded) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
	if g.cut(true) {
		return errCut
	}
	if data, err := patch.Data(obj); err == nil && strings.Contains(string(data), corev1.TaintNodeOutOfService) {
		defer g.cluster.mustBeOff(obj.GetName(), obj.GetUID(), "tainted")()
	}
	return g.Client.Patch(ctx, obj, patch, opts...)
}

// mustBeOff checks that a machine has no power and that nobody will switch it on, from now until the returned func is
// called.
func (c *cluster) mustBeOff(node string, uid types.UID, what string) func() {
	s := c.harness
	name := strings.TrimPrefix(node, s.namespace+"-")
	key := client.ObjectKey{Namespace: s.namespace, Name: name}
	host := s.operator.Host(key)
	c.set(func(c *cluster) { c.touched[uid] = true })
	look := func(when string) {
		if s.operator.Host(key).Running() {
			s.Errorf("Node %s is %s, and %s its machine runs: %v", node, what, when, host.History())
		}
		if !s.held(name) {
			s.Errorf("Node %s is %s, and %s its host is not kept off by us", node, what, when)
		}
	}
	boots := host.Boots()
	look("before")
	return func() {
		look("afterwards")
		if host.Boots() != boots {
			s.Errorf("Node %s is %s, and its machine has booted meanwhile: %v", node, what, host.History())
		}
	}
}
