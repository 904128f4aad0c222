package view

import (
	"errors"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/simulate"
)

// changes returns the check, and its plan, with the person's changes.
func (q SimulateQuery) changes(c *explain.Check) (simulate.Changes, error) {
	mhc := c.MachineHealthCheck.DeepCopy()
	changes := simulate.Changes{Checks: []*clusterv1.MachineHealthCheck{mhc}}
	if err := q.changeCheck(mhc); err != nil {
		return changes, err
	}
	plan := c.Facts.Template.Plan
	if plan == nil {
		if q.StepTimeout != "" {
			return changes, errors.New("step timeouts: this health check has no plan, and the timeouts of the built-in plans are fixed")
		}
		if q.Slots != "" {
			metav1.SetMetaDataAnnotation(&mhc.ObjectMeta, mhcspec.MaxInFlightAnnotation, q.Slots)
		}
		return changes, nil
	}
	plan = plan.DeepCopy()
	changes.Known = append(changes.Known, c.Facts.Template.Plan)
	if q.Slots+q.StepTimeout == "" {
		return changes, nil
	}
	changes.Plans = append(changes.Plans, plan)
	return changes, q.changePlan(plan)
}

func (q SimulateQuery) changeCheck(mhc *clusterv1.MachineHealthCheck) error {
	switch trigger := &mhc.Spec.Remediation.TriggerIf; {
	case q.Limit == "":
	case strings.HasPrefix(q.Limit, "["):
		trigger.UnhealthyInRange, trigger.UnhealthyLessThanOrEqualTo = q.Limit, nil
	default:
		limit := intstr.Parse(q.Limit)
		if _, err := intstr.GetScaledValueFromIntOrPercent(&limit, 100, false); err != nil {
			return fmt.Errorf("limit: %q is neither a number, a percentage nor a range like [1-3]", q.Limit)
		}
		trigger.UnhealthyInRange, trigger.UnhealthyLessThanOrEqualTo = "", &limit
	}
	if q.Timeout == "" {
		return nil
	}
	d, err := span("sick after", q.Timeout, 0)
	if err != nil {
		return err
	}
	for i := range mhc.Spec.Checks.UnhealthyNodeConditions {
		mhc.Spec.Checks.UnhealthyNodeConditions[i].TimeoutSeconds = new(int32(d / time.Second))
	}
	for i := range mhc.Spec.Checks.UnhealthyMachineConditions {
		mhc.Spec.Checks.UnhealthyMachineConditions[i].TimeoutSeconds = new(int32(d / time.Second))
	}
	return nil
}

func (q SimulateQuery) changePlan(plan *v1alpha1.MachineRemediationTemplate) error {
	spec := &plan.Spec.Template.Spec
	if q.Slots != "" {
		spec.MaxInFlight = new(intstr.Parse(q.Slots))
		if _, err := intstr.GetScaledValueFromIntOrPercent(spec.MaxInFlight, 100, false); err != nil {
			return fmt.Errorf("slots: %q is neither a number nor a percentage", q.Slots)
		}
	}
	if q.StepTimeout == "" {
		return nil
	}
	d, err := span("a step takes", q.StepTimeout, 0)
	if err != nil {
		return err
	}
	for i := range spec.Steps {
		if spec.Steps[i].TimeoutSeconds != nil {
			spec.Steps[i].TimeoutSeconds = new(int32(d / time.Second))
		}
	}
	return nil
}
