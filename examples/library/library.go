// Package library shows how to write a health check with the package healthcheck: a check, and a
// registration that makes a controller of it.
package library

import (
	"context"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// provisioned requires a cluster to have its infrastructure within half an hour of its creation.
func provisioned(_ context.Context, in healthcheck.Input[*clusterv1.Cluster]) (healthcheck.Result, error) {
	if ready := in.Object.Status.Initialization.InfrastructureProvisioned; ready != nil && *ready {
		return healthcheck.Result{Status: healthcheck.True, Reason: "Provisioned"}, nil
	}
	return healthcheck.Result{
		Status: healthcheck.Progressing, Reason: "Provisioning", Message: "Infrastructure is not there yet",
		Deadline: in.Object.CreationTimestamp.Add(30 * time.Minute), // after that, the result is False
	}, nil
}

// SetupWithManager adds a controller that writes the condition ProvisionedInTime on Clusters.
func SetupWithManager(mgr ctrl.Manager) error {
	return healthcheck.New(healthcheck.Registration[*clusterv1.Cluster]{
		Name: "provisioned-in-time",
		Conditions: []healthcheck.ConditionChecks[*clusterv1.Cluster]{
			healthcheck.NewCondition("ProvisionedInTime", healthcheck.NewCheck("provisioned", provisioned)),
		},
	}).SetupWithManager(mgr)
}
