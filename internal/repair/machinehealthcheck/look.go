package machinehealthcheck

import (
	"context"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// observeAndDecide is one look. Before it grants one of a limited number of slots, it counts the taken ones past the cache.
func (r *Reader) observeAndDecide(ctx context.Context, mhc *clusterv1.MachineHealthCheck) (admission.Facts, admission.Decision, error) {
	facts, decision, err := r.observeAndDecideByCache(ctx, mhc)
	if err != nil {
		return admission.Facts{}, admission.Decision{}, err
	}
	admits := len(decision.Admit) > 0 && !decision.Config.OnlyReports()
	if (admits || len(decision.Asked) > 0) && decision.Bounded() {
		if err := r.LiveRecords(ctx, &facts); err != nil {
			return admission.Facts{}, admission.Decision{}, err
		}
		decision = admission.Decide(facts, r.Clock.Now())
	}
	if decision.Config.OnlyReports() {
		decision.Admit = r.starting(ctx, facts, decision, decision.Admit)
	}
	return facts, decision, nil
}

// Look observes and decides as Reconcile does, and does not act. It reads past the caches only what no cache has, such as kinds of templates.
func (r *Reader) Look(ctx context.Context, mhc *clusterv1.MachineHealthCheck) (admission.Facts, admission.Decision, error) {
	facts, decision, err := r.observeAndDecideByCache(ctx, mhc)
	if err == nil && decision.Config.OnlyReports() {
		decision.Admit = r.starting(ctx, facts, decision, decision.Admit)
	}
	return facts, decision, err
}

// observeAndDecideByCache looks at the caches alone. Before an admission that depends on how many machines are unhealthy, it judges them anew.
func (r *Reader) observeAndDecideByCache(ctx context.Context, mhc *clusterv1.MachineHealthCheck) (admission.Facts, admission.Decision, error) {
	facts, err := r.observe(ctx, mhc)
	if err != nil {
		return admission.Facts{}, admission.Decision{}, err
	}
	decision := admission.Decide(facts, r.Clock.Now())
	if !decision.RestsOnCounts() {
		return facts, decision, nil
	}
	if err := r.Judge(ctx, &facts, decision.MaxUnhealthy()); err != nil {
		return admission.Facts{}, admission.Decision{}, err
	}
	return facts, admission.Decide(facts, r.Clock.Now()), nil
}
