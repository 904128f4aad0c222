package machinehealthcheck

import (
	"context"

	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// Gatekeeper answers, just before an attempt acts, whether it still may.
type Gatekeeper struct {
	// Client reads from the cache.
	Client client.Reader
	// Live reads past it.
	Live      client.Reader
	Observer  *machinehealth.Observer
	Selectors *targets.Selectors
	Clock     clock.PassiveClock
}

// GateClosed says why triggerIf of mhc does not allow remediation now; empty if it does. Its lower bound counts for the
// first step of a record only.
func (g *Gatekeeper) GateClosed(ctx context.Context, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, first bool) (why string, err error) {
	return "", nil
}

// OverBudget says why a record may not act although it has a slot: more machines are in flight than allowed. It is empty
// if there is no bound, or if it holds.
func (g *Gatekeeper) OverBudget(ctx context.Context, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, r *v1alpha1.MachineRemediation) (why string, err error) {
	return "", nil
}
