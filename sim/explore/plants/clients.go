package plants

import (
	"context"
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/sim/explore/history"
)

// Planted bugs are made of clients that answer or write something else.

// liveGet changes what a live read of one object answers. The read takes place all the same.
func liveGet(with history.Parts, change func(ctx context.Context, key client.ObjectKey, obj client.Object, err error) error) history.Parts {
	with.Live = reader{Reader: with.Live, change: change}
	return with
}

type reader struct {
	client.Reader
	change func(ctx context.Context, key client.ObjectKey, obj client.Object, err error) error
}

// Get implements client.Reader.
func (r reader) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	return r.change(ctx, key, obj, r.Reader.Get(ctx, key, obj, opts...))
}

// withFuncs changes what a client does.
func withFuncs(with history.Parts, funcs interceptor.Funcs) history.Parts {
	with.Client = interceptor.NewClient(watchless{with.Client}, funcs)
	return with
}

// watchless is a client that could watch, and never does.
type watchless struct{ client.Client }

// Watch implements client.WithWatch.
func (watchless) Watch(context.Context, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
	panic("plants: nobody watches")
}

// withoutOps takes operations out of a JSON patch.
func withoutOps(patch client.Patch, obj client.Object, drop func(op, path string) bool) client.Patch {
	return changedOps(patch, obj, func(ops []map[string]any) []map[string]any {
		return slices.DeleteFunc(ops, func(one map[string]any) bool {
			op, _ := one["op"].(string)
			path, _ := one["path"].(string)
			return drop(op, path)
		})
	})
}

// withOp puts an operation before those of a JSON patch.
func withOp(patch client.Patch, obj client.Object, first map[string]any) client.Patch {
	return changedOps(patch, obj, func(ops []map[string]any) []map[string]any { return slices.Insert(ops, 0, first) })
}

// changedOps changes a JSON patch. Other patches stay as they are.
func changedOps(patch client.Patch, obj client.Object, change func([]map[string]any) []map[string]any) client.Patch {
	data, err := patch.Data(obj)
	if err != nil || patch.Type() != types.JSONPatchType {
		return patch
	}
	var ops []map[string]any
	if json.Unmarshal(data, &ops) != nil {
		return patch
	}
	if data, err = json.Marshal(change(ops)); err != nil {
		return patch
	}
	return client.RawPatch(types.JSONPatchType, data)
}

func dropsOps(with history.Parts, drop func(op, path string) bool) history.Parts {
	return withFuncs(with, interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			return c.Patch(ctx, obj, withoutOps(patch, obj, drop), opts...)
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, _ string, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			return c.Status().Patch(ctx, obj, withoutOps(patch, obj, drop), opts...)
		},
	})
}

// reading changes what reads of one object answer, from the cache and live.
func reading(with history.Parts, change func(ctx context.Context, key client.ObjectKey, obj client.Object, err error) error) history.Parts {
	with = liveGet(with, change)
	return withFuncs(with, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
		return change(ctx, key, obj, c.Get(ctx, key, obj, opts...))
	}})
}
