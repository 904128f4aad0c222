package machinehealth

import (
	"context"
	"slices"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// silentRetry is how long to wait before looking again for a heartbeat of a silent detector, which causes no event. Detectors usually send one that often.
const silentRetry = 5 * time.Minute

// trustApplies reports whether a Machine gets a condition about the conditions of its Node: if one of its MachineHealthChecks says when these are
// believed. While the Node cannot be read, the condition stays as it is.
func (r reader) trustApplies(ctx context.Context, in input) (healthcheck.Applicability, error) {
	applies, err := r.alsoApplies(ctx, in, verdict.TrustConditionType, func(checks []*clusterv1.MachineHealthCheck) bool {
		return slices.ContainsFunc(checks, func(mhc *clusterv1.MachineHealthCheck) bool {
			return mhcspec.HasAnnotation(mhc, mhcspec.SignalsAnnotation) && verdict.Distrusts(mhcspec.RulesOf(mhc))
		})
	})
	if err != nil || applies != healthcheck.Applies {
		return applies, err
	}
	node, err := r.observer.node(ctx, in.Object, r.observer.Nodes.Get)
	if err != nil || node.State != verdict.NodeFound {
		return healthcheck.LeaveAlone, nil
	}
	return healthcheck.Applies, nil
}

// checkTrust returns the condition about the conditions of the Node. An error must not replace what it remembers.
func (r reader) checkTrust(ctx context.Context, in input) (healthcheck.Result, error) {
	facts, err := r.facts(ctx, in.Object)
	if err != nil {
		return healthcheck.Result{}, &healthcheck.LaterError{After: unreadableRetry}
	}
	result := verdict.DecideTrust(facts, in.Now)
	if result.Reason == verdict.ReasonDetectorSilent {
		result.RecheckAt = healthcheck.Earliest(result.RecheckAt, in.Now.Add(silentRetry))
	}
	return result, nil
}
