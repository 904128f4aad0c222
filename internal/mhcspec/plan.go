package mhcspec

import (
	"context"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// PlanKey is the key of the MachineRemediationTemplate that mhc names. It means something only if NamesPlan.
func PlanKey(mhc *clusterv1.MachineHealthCheck) client.ObjectKey {
	return client.ObjectKey{Namespace: mhc.Namespace, Name: mhc.Spec.Remediation.TemplateRef.Name}
}

// PlanOf reads the MachineRemediationTemplate that mhc names; nil if it names none, or one that does not exist.
func PlanOf(ctx context.Context, reader client.Reader, mhc *clusterv1.MachineHealthCheck) (*v1alpha1.MachineRemediationTemplate, error) {
	if !NamesPlan(mhc) {
		return nil, nil
	}
	return Plan(ctx, reader, PlanKey(mhc))
}

// PlanMissing reports whether mhc names a plan that does not exist, so its limits and its mode are unknown. Plan is what PlanOf returned.
func PlanMissing(mhc *clusterv1.MachineHealthCheck, plan *v1alpha1.MachineRemediationTemplate) bool {
	return plan == nil && NamesPlan(mhc)
}

// Plan reads a MachineRemediationTemplate; nil if there is none of that name.
func Plan(ctx context.Context, reader client.Reader, key client.ObjectKey) (*v1alpha1.MachineRemediationTemplate, error) {
	return scaffold.Find(ctx, reader, key, &v1alpha1.MachineRemediationTemplate{})
}
