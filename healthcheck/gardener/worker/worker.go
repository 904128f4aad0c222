// Package worker has the checks of Gardener's package of the same name, which judge the
// machines of a shoot.
package worker

import (
	"context"
	"fmt"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
)

// notManaged marks Nodes whose machines are not managed.
const notManaged = "node.machine.sapcloud.io/not-managed-by-mcm"

// SufficientNodesAvailable checks that no machine has failed, that all MachineDeployments
// are healthy, and that the shoot has at least as many Nodes as they want in total.
func SufficientNodesAvailable() gardener.HealthCheck { return &counted{} }

// NewSufficientNodesChecker is the second name of SufficientNodesAvailable.
func NewSufficientNodesChecker() gardener.HealthCheck { return SufficientNodesAvailable() }

// NewNodesChecker replaced SufficientNodesAvailable: it looks only at machines and
// MachineDeployments, and so does not need the shoot.
func NewNodesChecker() gardener.HealthCheck { return &machines{} }

// machines looks at MachineDeployments.
type machines struct{ source client.Client }

// InjectSourceClient implements gardener.SourceClient.
func (m *machines) InjectSourceClient(c client.Client) { m.source = c }

// DeepCopy implements gardener.HealthCheck.
func (m *machines) DeepCopy() gardener.HealthCheck { c := *m; return &c }

// SetLoggerSuffix implements gardener.HealthCheck. It does nothing: the engine logs.
func (m *machines) SetLoggerSuffix(string, string) {}

// Name is the name of the check in metrics.
func (m *machines) Name() string { return "machines" }

// Check implements gardener.HealthCheck.
func (m *machines) Check(ctx context.Context, request types.NamespacedName) (*gardener.SingleCheckResult, error) {
	deployments, err := list(ctx, m.source, request.Namespace)
	if err != nil {
		return nil, err
	}
	return judge(deployments), nil
}

// counted also looks at Nodes.
type counted struct {
	machines

	target client.Client
}

// InjectTargetClient implements gardener.TargetClient.
func (c *counted) InjectTargetClient(target client.Client) { c.target = target }

// DeepCopy implements gardener.HealthCheck.
func (c *counted) DeepCopy() gardener.HealthCheck { made := *c; return &made }

// Name is the name of the check in metrics.
func (c *counted) Name() string { return "nodes" }

// Check implements gardener.HealthCheck.
func (c *counted) Check(ctx context.Context, request types.NamespacedName) (*gardener.SingleCheckResult, error) {
	deployments, err := list(ctx, c.source, request.Namespace)
	if err != nil {
		return nil, err
	}
	var nodes corev1.NodeList
	if err := c.target.List(ctx, &nodes); err != nil {
		return nil, fmt.Errorf("unable to check nodes. Failed to list shoot nodes: %w", err)
	}
	result := judge(deployments)
	if result.Status != gardencorev1beta1.ConditionTrue {
		return result, nil
	}
	registered, desired := 0, 0
	for i := range nodes.Items {
		if nodes.Items[i].Annotations[notManaged] != "1" {
			registered++
		}
	}
	for _, d := range deployments {
		desired += d.desired()
	}
	if registered < desired {
		return &gardener.SingleCheckResult{
			Status: gardencorev1beta1.ConditionFalse, Reason: "MissingNodes",
			Detail: fmt.Sprintf("not enough worker nodes registered in the cluster (%d/%d)", registered, desired),
		}, nil
	}
	return result, nil
}
