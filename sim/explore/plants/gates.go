package plants

import (
	"context"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
)

type openGate struct{ remediation.Gatekeeper }

// GateClosed implements remediation.Gatekeeper.
func (openGate) GateClosed(context.Context, *clusterv1.MachineHealthCheck, *clusterv1.Cluster, bool) (string, error) {
	return "", nil
}

type boundless struct{ remediation.Gatekeeper }

// OverBudget implements remediation.Gatekeeper.
func (boundless) OverBudget(context.Context, *clusterv1.MachineHealthCheck, *clusterv1.Cluster, *v1alpha1.MachineRemediationTemplate, slots.OpenRecords) (string, error) {
	return "", nil
}
