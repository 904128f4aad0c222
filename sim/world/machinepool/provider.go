// Package machinepool is the infrastructure provider of MachinePools in a world.
package machinepool

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	infrav1 "sigs.k8s.io/cluster-api/test/infrastructure/docker/api/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
)

// Provider makes the machines of MachinePools in memory, which Cluster API's own development provider cannot: it keeps as many DevMachines as a pool
// wants, and makes another one for each that is deleted.
type Provider struct {
	Client client.Client
	// Live reads past the cache: a machine that was just made counts.
	Live client.Reader
}

// SetupWithManager adds the provider to a manager.
func (p *Provider) SetupWithManager(_ context.Context, mgr ctrl.Manager, options controller.Options) error {
	sameName := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, pool client.Object) []ctrl.Request {
		return []ctrl.Request{{NamespacedName: client.ObjectKeyFromObject(pool)}}
	})
	ofPool := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, machine client.Object) []ctrl.Request {
		if name := machine.GetLabels()[clusterv1.MachinePoolNameLabel]; name != "" {
			return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: machine.GetNamespace(), Name: name}}}
		}
		return nil
	})
	err := ctrl.NewControllerManagedBy(mgr).Named("machine-pool-provider").For(&infrav1.DevMachinePool{}).
		Watches(&clusterv1.MachinePool{}, sameName).Watches(&infrav1.DevMachine{}, ofPool).WithOptions(options).Complete(p)
	if err != nil {
		return fmt.Errorf("adding the provider of machine pools: %w", err)
	}
	return nil
}

// Reconcile makes the machines that a pool lacks, and says what it has.
func (p *Provider) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	infra, pool := &infrav1.DevMachinePool{}, &clusterv1.MachinePool{}
	for _, obj := range []client.Object{infra, pool} {
		if err := p.Client.Get(ctx, req.NamespacedName, obj); err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
	}
	if !pool.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	labels := client.MatchingLabels{clusterv1.MachinePoolNameLabel: pool.Name, clusterv1.ClusterNameLabel: pool.Spec.ClusterName}
	var machines infrav1.DevMachineList
	if err := p.Live.List(ctx, &machines, client.InNamespace(req.Namespace), labels); err != nil {
		return ctrl.Result{}, fmt.Errorf("listing the machines of pool %s: %w", pool.Name, err)
	}
	var ids []string
	alive := int32(0)
	for i := range machines.Items {
		if machine := &machines.Items[i]; machine.DeletionTimestamp.IsZero() {
			alive++
			if machine.Spec.ProviderID != "" {
				ids = append(ids, machine.Spec.ProviderID)
			}
		}
	}
	if infra.Status.InfrastructureMachineKind != "" && alive < *pool.Spec.Replicas {
		// One at a time: each brings another look.
		machine := &infrav1.DevMachine{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, GenerateName: pool.Name + "-", Labels: labels}}
		machine.Spec.Backend.InMemory = &infrav1.InMemoryMachineBackendSpec{Node: &infrav1.InMemoryNodeSpec{}}
		if err := p.Client.Create(ctx, machine); err != nil {
			return ctrl.Result{}, fmt.Errorf("making a machine of pool %s: %w", pool.Name, err)
		}
	}
	return ctrl.Result{}, p.says(ctx, infra, ids)
}

// says stores which machines a pool has.
func (p *Provider) says(ctx context.Context, infra *infrav1.DevMachinePool, ids []string) error {
	before := infra.DeepCopy()
	infra.Spec.ProviderIDList = ids
	if err := p.Client.Patch(ctx, infra, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("storing the machines of pool %s: %w", infra.Name, err)
	}
	before = infra.DeepCopy()
	infra.Status.Ready, infra.Status.Replicas = true, int32(len(ids)) //nolint:gosec // Few.
	if err := p.Client.Status().Patch(ctx, infra, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("writing the status of pool %s: %w", infra.Name, err)
	}
	return nil
}
