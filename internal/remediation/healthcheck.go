package remediation

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// healthCheckOf returns the MachineHealthCheck that a Machine belongs to now, which need not be the one that admitted it;
// nil if there is none. Past the cache it reads the one that the cache shows; all of them only if that one is out of date,
// since a machine that is handed back must not belong to another one.
func (r *Reconciler) healthCheckOf(ctx context.Context, v *view) (*clusterv1.MachineHealthCheck, error) {
	machine := v.machine
	all, err := targets.MachineHealthChecksOf(ctx, r.Client, targets.ClusterOf(machine))
	if err != nil {
		return nil, err
	}
	mhc := r.Selectors.Owner(machine, all)
	if v.how == cached {
		return mhc, nil
	}
	if mhc != nil {
		latest, err := healthCheck(ctx, v.reader, client.ObjectKeyFromObject(mhc))
		if err != nil {
			return nil, err
		}
		if latest != nil && latest.UID == mhc.UID && r.Selectors.Matches(latest, machine) {
			return latest, nil
		}
	}
	return r.liveHealthCheckOf(ctx, machine)
}

// liveHealthCheckOf lists past the cache.
func (r *Reconciler) liveHealthCheckOf(ctx context.Context, machine *clusterv1.Machine) (*clusterv1.MachineHealthCheck, error) {
	var list clusterv1.MachineHealthCheckList
	if err := r.Live.List(ctx, &list, client.InNamespace(machine.Namespace)); err != nil {
		return nil, fmt.Errorf("listing MachineHealthChecks of %s: %w", targets.ClusterOf(machine), err)
	}
	all := make([]*clusterv1.MachineHealthCheck, len(list.Items))
	for i := range list.Items {
		all[i] = &list.Items[i]
	}
	return r.Selectors.Owner(machine, all), nil
}

// healthCheckThatAdmitted returns the MachineHealthCheck of a record; nil if it is gone.
func healthCheckThatAdmitted(ctx context.Context, reader client.Reader, record *v1alpha1.MachineRemediation) (*clusterv1.MachineHealthCheck, error) {
	ref := record.Spec.HealthCheckRef
	mhc, err := healthCheck(ctx, reader, client.ObjectKey{Namespace: record.Namespace, Name: ref.Name})
	if mhc == nil || mhc.UID != ref.UID {
		return nil, err
	}
	return mhc, nil
}

// healthCheck reads a MachineHealthCheck; nil if there is none of that name.
func healthCheck(ctx context.Context, reader client.Reader, key client.ObjectKey) (*clusterv1.MachineHealthCheck, error) {
	mhc := &clusterv1.MachineHealthCheck{}
	err := reader.Get(ctx, key, mhc)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("getting MachineHealthCheck %s: %w", key, err)
	}
	return mhc, nil
}
