package remediation

import (
	"context"
	"strings"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// observeGone reads what matters once the Machine is gone: its successor, and whether somebody has stopped the wait for it. A
// built-in plan does not wait.
func (r *Reconciler) observeGone(ctx context.Context, v *view) error {
	v.facts.Machine.Gone = true
	if v.facts.Record.Spec.TemplateRef == nil {
		return nil
	}
	var err error
	if v.cluster, err = clusterOf(ctx, v.reader, v.facts.Record); err != nil {
		return err
	}
	s := &v.facts.Safety
	if s.Terminating = terminating(v.cluster); s.Terminating != "" {
		return nil
	}
	if mhcspec.ClusterPaused(v.cluster) {
		s.Paused = clusterPaused
	}
	mhc, err := r.healthCheckOfGone(ctx, v)
	if err != nil {
		return err
	}
	if mhc == nil || !r.Policy.Keeps(mhc) {
		s.Unmanaged = "MachineHealthCheck " + v.facts.Record.Spec.HealthCheckRef.Name + " is no longer managed by Sickbay"
		return nil
	}
	template, err := mhcspec.PlanOf(ctx, v.reader, mhc)
	if err != nil {
		return err
	}
	config, _ := mhcspec.ParseConfig(mhc, template)
	s.OnHold, s.HoldUntil = mhcspec.OnHold(r.Clock.Now(), mhc, v.cluster)
	if paused := mhcspec.Paused(mhc, v.cluster); len(paused) > 0 {
		s.Paused = strings.Join(paused, ", ")
	} else if s.Paused == "" {
		s.Paused = onlyReports(mhc, config)
	}
	v.facts.ResumedAt = r.resumedAt(mhc, v.cluster)
	return r.successorFacts(ctx, v)
}

const clusterPaused = "Cluster spec.paused is set to true"

// terminating says that the Cluster of a machine is being deleted, or is gone.
func terminating(cluster *clusterv1.Cluster) string {
	switch {
	case cluster == nil:
		return "The Cluster is gone"
	case !cluster.DeletionTimestamp.IsZero():
		return "The Cluster is being deleted"
	}
	return ""
}
