package app

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/targets"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
)

// Controllers are the names of all controllers.
func Controllers() []string {
	return []string{
		machinehealth.ControllerName, machinehealthcheck.ControllerName, upgradepause.ControllerName, reboot.ControllerName,
	}
}

// gates is the one list of all controllers, with the kinds that they need.
func gates(o Options, ready *readiness) []gate {
	kind := func(name string) schema.GroupVersionKind { return clusterv1.GroupVersion.WithKind(name) }
	var gates []gate
	shared := &connections{}
	if names := o.enabled(machinehealth.ControllerName, machinehealthcheck.ControllerName); len(names) > 0 {
		gates = append(gates, gate{
			name:  strings.Join(names, ", "),
			kinds: []schema.GroupVersionKind{kind("Cluster"), kind("Machine"), kind("MachineHealthCheck")},
			add:   func(ctx context.Context, mgr ctrl.Manager) error { return addClusterAPI(ctx, mgr, o, ready, shared) },
		})
	}
	if len(o.enabled(upgradepause.ControllerName)) > 0 {
		gates = append(gates, upgradePauseGates(o, ready)...)
	}
	if len(o.enabled(reboot.ControllerName)) > 0 {
		gates = append(gates, rebootGates(o, ready, shared)...)
	}
	return gates
}

// addClusterAPI adds the controllers for Cluster API's Machines.
func addClusterAPI(ctx context.Context, mgr ctrl.Manager, o Options, ready *readiness, shared *connections) error {
	ready.require(&clusterv1.Cluster{}, &clusterv1.Machine{}, &clusterv1.MachineHealthCheck{})
	if err := targets.AddIndexes(ctx, mgr.GetFieldIndexer()); err != nil {
		return err
	}
	clusters, err := shared.get(ctx, mgr, o)
	if err != nil {
		return err
	}
	observer := &machinehealth.Observer{Nodes: clusters, GracePeriod: o.RemoteConditionsGracePeriod}
	selectors := &targets.Selectors{}
	if len(o.enabled(machinehealth.ControllerName)) > 0 {
		health := &machinehealth.Reconciler{
			Observer: observer, Selectors: selectors, Policy: o.Policy, Clusters: clusters,
			SyncPeriod: o.SyncPeriod, Concurrency: o.Concurrency,
		}
		if err := health.AddToManager(mgr); err != nil {
			return err
		}
	}
	if len(o.enabled(machinehealthcheck.ControllerName)) == 0 {
		return nil
	}
	remediation := &machinehealthcheck.Reconciler{
		Observer: observer, Selectors: selectors, Policy: o.Policy, Namespace: o.Namespace,
		SyncPeriod: o.SyncPeriod, Concurrency: o.Concurrency,
	}
	return remediation.AddToManager(mgr)
}
