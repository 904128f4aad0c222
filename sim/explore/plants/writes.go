package plants

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
)

// named gives objects of one type another name each time.
func named[T client.Object](p *history.Process, with history.Parts) history.Parts {
	return creating(with, func(obj T) { obj.SetName(fmt.Sprintf("%s-%d", obj.GetName(), p.World.Server.Version())) })
}

func noMemory(_ *history.Process, with history.Parts) history.Parts {
	return creating(with, func(r *v1alpha1.MachineRemediation) { r.Spec.StartAt = nil })
}

func unbound(_ *history.Process, with history.Parts) history.Parts {
	with = withoutTest(with, "/metadata/uid")
	return withFuncs(with, interceptor.Funcs{Delete: func(ctx context.Context, c client.WithWatch, obj client.Object, _ ...client.DeleteOption) error {
		return c.Delete(ctx, obj)
	}})
}

// boundTooFar binds JSON patches of Machines to the version just before the write.
func boundTooFar(_ *history.Process, with history.Parts) history.Parts {
	live := with.Live
	return patching(with, func(ctx context.Context, obj client.Object, patch client.Patch) client.Patch {
		stored := &clusterv1.Machine{}
		if _, ok := obj.(*clusterv1.Machine); !ok || live.Get(ctx, client.ObjectKeyFromObject(obj), stored) != nil {
			return patch
		}
		return changedOps(patch, obj, func(ops []map[string]any) []map[string]any {
			return slices.Insert(ops, 0, map[string]any{"op": "test", "path": "/metadata/resourceVersion", "value": stored.ResourceVersion})
		})
	})
}

// saysNothing removes the messages from what is applied to the status of a MachineHealthCheck.
func saysNothing(_ *history.Process, with history.Parts) history.Parts {
	return withFuncs(with, interceptor.Funcs{SubResourceApply: func(ctx context.Context, c client.Client, _ string, config runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
		if u, ok := config.(interface{ UnstructuredContent() map[string]any }); ok && u.UnstructuredContent()["kind"] == kinds.HealthCheck.Kind {
			conditions, _, _ := unstructured.NestedSlice(u.UnstructuredContent(), "status", "conditions")
			for _, c := range conditions {
				c.(map[string]any)["message"] = ""
			}
			_ = unstructured.SetNestedSlice(u.UnstructuredContent(), conditions, "status", "conditions")
		}
		return c.Status().Apply(ctx, config, opts...)
	}})
}
