package explore

import (
	"context"
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// The parts that planted bugs are made of.

// liveGet changes what a live read of one object answers. The read takes place all the same.
func liveGet(with parts, change func(ctx context.Context, key client.ObjectKey, obj client.Object, err error) error) parts {
	with.live = reader{Reader: with.live, change: change}
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
func withFuncs(with parts, funcs interceptor.Funcs) parts {
	with.client = interceptor.NewClient(watchless{with.client}, funcs)
	return with
}

// watchless is a client that could watch, and never does.
type watchless struct{ client.Client }

// Watch implements client.WithWatch.
func (watchless) Watch(context.Context, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
	panic("explore: nobody watches")
}

// withoutOps takes operations out of a JSON patch.
func withoutOps(patch client.Patch, obj client.Object, drop func(op, path string) bool) client.Patch {
	data, err := patch.Data(obj)
	if err != nil || patch.Type() != types.JSONPatchType {
		return patch
	}
	var ops []map[string]any
	if json.Unmarshal(data, &ops) != nil {
		return patch
	}
	ops = slices.DeleteFunc(ops, func(one map[string]any) bool {
		op, _ := one["op"].(string)
		path, _ := one["path"].(string)
		return drop(op, path)
	})
	data, err = json.Marshal(ops)
	if err != nil {
		return patch
	}
	return client.RawPatch(types.JSONPatchType, data)
}
