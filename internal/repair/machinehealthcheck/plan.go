package machinehealthcheck

import (
	"context"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// observePlan reads the MachineRemediationTemplate that the MachineHealthCheck names, and compiles its rules.
func (r *Reader) observePlan(ctx context.Context, f *admission.Facts) error {
	if f.KindsMissing {
		return nil
	}
	key := mhcspec.PlanKey(f.MachineHealthCheck)
	plan, err := mhcspec.Plan(ctx, r.Cache, key)
	if err != nil {
		return err
	}
	if plan == nil {
		f.Template.Missing = "MachineRemediationTemplate " + key.Name + " does not exist"
		return nil
	}
	f.Template.Plan = plan
	if _, err := r.rules.Get(plan); err != nil {
		f.Template.Problem = "MachineRemediationTemplate " + key.Name + ": " + err.Error()
	}
	return nil
}

// samePlan reports whether the plan is still the one that was decided on.
func (r *Reader) samePlan(ctx context.Context, f admission.Facts) (bool, error) {
	if f.Template.Plan == nil {
		return true, nil
	}
	plan, err := mhcspec.Plan(ctx, r.Live, mhcspec.PlanKey(f.MachineHealthCheck))
	if plan == nil {
		return false, err
	}
	return plan.UID == f.Template.Plan.UID && plan.Generation == f.Template.Plan.Generation, nil
}
