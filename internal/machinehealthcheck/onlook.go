package machinehealthcheck

import (
	"context"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
)

// Look observes and decides as Reconcile does, only from the caches, and does not act.
func (r *Reconciler) Look(ctx context.Context, mhc *clusterv1.MachineHealthCheck) (admission.Facts, admission.Decision, error) {
	facts, decision, err := r.observeAndDecideByCache(ctx, mhc)
	if err == nil && decision.Config.OnlyReports() {
		decision.Admit = r.starting(ctx, facts, decision, decision.Admit)
	}
	return facts, decision, err
}
