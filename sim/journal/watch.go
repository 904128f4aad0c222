package journal

import (
	"context"
	"fmt"

	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// Watch calls see for every state of the objects of some kinds until ctx ends, and returns once see knows those that exist. It keeps
// no states, so it also suits those who watch thousands of machines for long. Calls for different kinds come at the same time.
func Watch(ctx context.Context, w *world.World, options cache.Options, see func(object client.Object, gone bool), kinds ...client.Object) error {
	options.Scheme = world.NewScheme()
	objects, err := cache.New(w.Config(), options)
	if err != nil {
		return fmt.Errorf("opening a cache: %w", err)
	}
	var synced []toolscache.InformerSynced
	for _, kind := range kinds {
		informer, err := objects.GetInformer(ctx, kind, cache.BlockUntilSynced(false))
		if err != nil {
			return fmt.Errorf("watching %T: %w", kind, err)
		}
		registered, err := informer.AddEventHandler(handler(see))
		if err != nil {
			return fmt.Errorf("watching %T: %w", kind, err)
		}
		synced = append(synced, registered.HasSynced)
	}
	go func() { _ = objects.Start(ctx) }()
	if !toolscache.WaitForCacheSync(ctx.Done(), synced...) {
		return fmt.Errorf("waiting for the cache: %w", context.Cause(ctx))
	}
	return nil
}

func handler(see func(object client.Object, gone bool)) toolscache.ResourceEventHandler {
	look := func(obj any, gone bool) {
		if object, ok := obj.(client.Object); ok {
			see(object, gone)
		}
	}
	return toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { look(obj, false) },
		UpdateFunc: func(_, obj any) { look(obj, false) },
		DeleteFunc: func(obj any) {
			if missed, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
				obj = missed.Obj
			}
			look(obj, true)
		},
	}
}
