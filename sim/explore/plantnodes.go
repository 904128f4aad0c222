package explore

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// cachedNodes read live, and answer from the cache.
type cachedNodes struct{ workload.Nodes }

// GetLive implements workload.Nodes.
func (n cachedNodes) GetLive(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	node, err := n.Nodes.GetLive(ctx, cluster, name)
	if old, found := n.Get(ctx, cluster, name); found == nil && err == nil {
		return old, nil
	}
	return node, err
}

// storedNodes show in the cache what the stored verdicts say.
type storedNodes struct {
	workload.Nodes
	p *process
}

// Get implements workload.Nodes.
func (n storedNodes) Get(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	node, err := n.Nodes.Get(ctx, cluster, name)
	if err != nil || n.p.turn.item.controller == machinehealth.ControllerName {
		return node, err
	}
	for _, m := range every[*clusterv1.Machine](n.p.w, machineKind) {
		if m.Status.NodeRef.Name == name && said(m, machinehealth.ConditionType)[0] == "True" {
			return build.Node(name), nil
		}
	}
	return node, err
}
