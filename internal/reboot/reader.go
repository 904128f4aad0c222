package reboot

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/controllerstate"
)

// reader reads what a decision depends on. Nothing that it holds can write.
type reader struct {
	// kind is the kind of the Machines.
	kind         schema.GroupVersionKind
	cached, live client.Reader
	mapper       meta.RESTMapper
	nodes        nodes
	// connect returns what reads a workload cluster beside its Nodes.
	connect func(ctx context.Context, cluster client.ObjectKey) (client.Reader, error)
	clock   clock.PassiveClock
	memory  *controllerstate.Memory[keySeen]
	volumes *volumes
	// drains means that Sickbay hands everything back.
	drains bool
}

// nodes reads the Nodes and the versions of workload clusters, past all caches.
type nodes interface {
	GetLive(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error)
	Version(ctx context.Context, cluster client.ObjectKey) (*version.Info, error)
}

// reads returns what reads for this Reconciler.
func (r *Reconciler) reads() reader {
	return reader{
		kind: r.Kind, cached: r.Client, live: r.Live, mapper: r.Mapper, nodes: r.Workload, connect: r.connect,
		clock: r.Clock, memory: &r.memory, volumes: &r.volumes, drains: r.Drain,
	}
}

func (r *Reconciler) connect(ctx context.Context, cluster client.ObjectKey) (client.Reader, error) {
	c, err := r.Workload.Client(ctx, cluster)
	if err != nil {
		return nil, fmt.Errorf("connecting to the workload cluster: %w", err)
	}
	return c, nil
}
