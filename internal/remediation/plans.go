package remediation

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
)

// planOf reads the plan that a MachineHealthCheck names; nil if it names none, or one that does not exist.
func (r *Reconciler) planOf(ctx context.Context, mhc *clusterv1.MachineHealthCheck) (*v1alpha1.MachineRemediationTemplate, error) {
	if !admission.NamesPlan(mhc) {
		return nil, nil
	}
	template := &v1alpha1.MachineRemediationTemplate{}
	key := client.ObjectKey{Namespace: mhc.Namespace, Name: mhc.Spec.Remediation.TemplateRef.Name}
	if err := r.Client.Get(ctx, key, template); err != nil {
		if apierrors.IsNotFound(err) {
			return nil, nil
		}
		return nil, fmt.Errorf("getting MachineRemediationTemplate %s: %w", key, err)
	}
	return template, nil
}
