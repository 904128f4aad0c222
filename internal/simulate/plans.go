package simulate

import (
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// plans are the plans that health checks may name, by namespace and name.
type plans map[types.NamespacedName]*v1alpha1.MachineRemediationTemplate

func newPlans(facts *explain.Facts, changes Changes) plans {
	all := plans{}
	for _, plan := range changes.Known {
		all[keyOf(plan)] = plan
	}
	for _, c := range facts.Checks {
		if plan := c.Facts.Template.Plan; plan != nil {
			all[keyOf(plan)] = plan
		}
	}
	for _, plan := range changes.Plans {
		edited := plan.DeepCopy()
		edited.UID, edited.Generation = types.UID("simulated-"+plan.Namespace+"/"+plan.Name), 1
		if old := all[keyOf(plan)]; old != nil {
			edited.UID, edited.Generation = old.UID, old.Generation+1
		}
		all[keyOf(plan)] = edited
	}
	return all
}

func keyOf(plan *v1alpha1.MachineRemediationTemplate) types.NamespacedName {
	return types.NamespacedName{Namespace: plan.Namespace, Name: plan.Name}
}

// of returns the template of a health check. A template that is not a plan is assumed to exist, unless the fleet's facts say
// otherwise.
func (p plans) of(mhc *clusterv1.MachineHealthCheck, before *explain.Check) admission.Template {
	if !mhcspec.NamesPlan(mhc) {
		if before != nil && before.MachineHealthCheck.Spec.Remediation.TemplateRef == mhc.Spec.Remediation.TemplateRef {
			return before.Facts.Template
		}
		return admission.Template{}
	}
	plan := p[mhcspec.PlanKey(mhc)]
	if plan == nil {
		return admission.Template{Missing: "MachineRemediationTemplate " + mhc.Spec.Remediation.TemplateRef.Name + " does not exist"}
	}
	return admission.Template{Plan: plan}
}

// names reports whether a health check names a plan.
func names(mhc *clusterv1.MachineHealthCheck, plan *v1alpha1.MachineRemediationTemplate) bool {
	return mhcspec.NamesPlan(mhc) && mhcspec.PlanKey(mhc) == keyOf(plan)
}
