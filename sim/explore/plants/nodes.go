package plants

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/workload"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
)

// cachedNodes makes live reads, but returns what the cache shows.
type cachedNodes struct{ workload.Nodes }

// GetLive implements workload.Nodes.
func (n cachedNodes) GetLive(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	node, err := n.Nodes.GetLive(ctx, cluster, name)
	if old, found := n.Get(ctx, cluster, name); found == nil && err == nil {
		return old, nil
	}
	return node, err
}

// storedNodes makes the cached Nodes match the stored verdicts.
type storedNodes struct {
	workload.Nodes
	p *history.Process
}

// Get implements workload.Nodes.
func (n storedNodes) Get(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	node, err := n.Nodes.Get(ctx, cluster, name)
	if err != nil || n.p.Item.Controller == machinehealth.ControllerName {
		return node, err
	}
	for _, m := range history.Every[*clusterv1.Machine](n.p.World, kinds.Machine) {
		if m.Status.NodeRef.Name == name && history.Said(m, verdict.ConditionType)[0] == "True" {
			return build.Node(name), nil
		}
	}
	return node, err
}
