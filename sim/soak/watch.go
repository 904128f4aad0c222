package soak

import (
	"context"
	"fmt"

	toolscache "k8s.io/client-go/tools/cache"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// watch records in the ledger what the API server reports about Machines, MachineHealthChecks and MachineRemediations, until ctx ends. It calls
// marked for Machines that their owner must replace.
func (live *liveLedger) watch(ctx context.Context, w *world.World, marked func(client.ObjectKey)) error {
	objects, err := cache.New(w.Config(), cache.Options{Scheme: world.NewScheme(), DefaultTransform: cache.TransformStripManagedFields()})
	if err != nil {
		return fmt.Errorf("making a cache: %w", err)
	}
	for _, object := range []client.Object{&clusterv1.Machine{}, &clusterv1.MachineHealthCheck{}, &v1alpha1.MachineRemediation{}} {
		informer, err := objects.GetInformer(ctx, object, cache.BlockUntilSynced(false))
		if err != nil {
			return fmt.Errorf("watching %T: %w", object, err)
		}
		if _, err := informer.AddEventHandler(live.handler(marked)); err != nil {
			return fmt.Errorf("watching %T: %w", object, err)
		}
	}
	go func() { _ = objects.Start(ctx) }()
	if !objects.WaitForCacheSync(ctx) {
		return fmt.Errorf("watching machines: %w", context.Cause(ctx))
	}
	return nil
}

func (live *liveLedger) handler(marked func(client.ObjectKey)) toolscache.ResourceEventHandler {
	see := func(obj any) {
		switch object := obj.(type) {
		case *clusterv1.Machine:
			if live.seen(object) {
				marked(client.ObjectKeyFromObject(object))
			}
		case *clusterv1.MachineHealthCheck:
			live.healthCheckSeen(object)
		case *v1alpha1.MachineRemediation:
			live.repaired(object, false)
		}
	}
	return toolscache.ResourceEventHandlerFuncs{
		AddFunc:    see,
		UpdateFunc: func(_, obj any) { see(obj) },
		DeleteFunc: func(obj any) {
			if missed, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
				obj = missed.Obj
			}
			switch object := obj.(type) {
			case *clusterv1.Machine:
				live.gone(client.ObjectKeyFromObject(object))
			case *v1alpha1.MachineRemediation:
				live.repaired(object, true)
			}
		},
	}
}
