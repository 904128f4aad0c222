package plants

import (
	"context"
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/sim/explore/history"
)

// Planted bugs are clients that return or write something else.

// liveGet changes the result of a live read of one object. The read still happens.
func liveGet(with history.Parts, change func(ctx context.Context, key client.ObjectKey, obj client.Object, err error) error) history.Parts {
	with.Live = getter{with.Live, change}
	return with
}

type getter struct {
	client.Reader
	change func(ctx context.Context, key client.ObjectKey, obj client.Object, err error) error
}

// Get implements client.Reader.
func (g getter) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	return g.change(ctx, key, obj, g.Reader.Get(ctx, key, obj, opts...))
}

// liveList changes the results of live lists.
func liveList(with history.Parts, change func(client.ObjectList)) history.Parts {
	with.Live = lister{with.Live, change}
	return with
}

type lister struct {
	client.Reader
	change func(client.ObjectList)
}

// List implements client.Reader.
func (l lister) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	err := l.Reader.List(ctx, list, opts...)
	l.change(list)
	return err
}

// cachedList changes the results of lists from the cache.
func cachedList(with history.Parts, change func(client.ObjectList)) history.Parts {
	return withFuncs(with, interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
		err := c.List(ctx, list, opts...)
		change(list)
		return err
	}})
}

// withFuncs changes what a client does.
func withFuncs(with history.Parts, funcs interceptor.Funcs) history.Parts {
	with.Client = interceptor.NewClient(watchless{with.Client}, funcs)
	return with
}

// watchless has a Watch method that nobody calls.
type watchless struct{ client.Client }

// Watch implements client.WithWatch.
func (watchless) Watch(context.Context, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
	panic("plants: nobody watches")
}

// changedOps changes a JSON patch. It returns other patches unchanged.
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

// withoutTest removes the test of a field from JSON patches.
func withoutTest(with history.Parts, path string) history.Parts {
	return patching(with, func(_ context.Context, obj client.Object, patch client.Patch) client.Patch {
		return changedOps(patch, obj, func(ops []map[string]any) []map[string]any {
			return slices.DeleteFunc(ops, func(one map[string]any) bool { return one["op"] == "test" && one["path"] == path })
		})
	})
}

// patching changes patches, those of the status too.
func patching(with history.Parts, change func(context.Context, client.Object, client.Patch) client.Patch) history.Parts {
	return withFuncs(with, interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			return c.Patch(ctx, obj, change(ctx, obj, patch), opts...)
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, _ string, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			return c.Status().Patch(ctx, obj, change(ctx, obj, patch), opts...)
		},
	})
}

// showing changes what reads of one object and live lists show, for objects of one type.
func showing[T client.Object](with history.Parts, change func(T)) history.Parts {
	with = liveList(with, func(list client.ObjectList) {
		_ = meta.EachListItem(list, func(item runtime.Object) error {
			if one, ok := item.(T); ok {
				change(one)
			}
			return nil
		})
	})
	return reading(with, func(_ context.Context, _ client.ObjectKey, obj client.Object, err error) error {
		if one, ok := obj.(T); ok && err == nil {
			change(one)
		}
		return err
	})
}

// shows is the same, for a plant that changes nothing else.
func shows[T client.Object](change func(T)) func(*history.Process, history.Parts) history.Parts {
	return func(_ *history.Process, with history.Parts) history.Parts { return showing(with, change) }
}

// creating changes objects of one type before they are created.
func creating[T client.Object](with history.Parts, change func(T)) history.Parts {
	return withFuncs(with, interceptor.Funcs{Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
		if one, ok := obj.(T); ok {
			change(one)
		}
		return c.Create(ctx, obj, opts...)
	}})
}

// reading changes the results of reads of one object, from the cache and live.
func reading(with history.Parts, change func(ctx context.Context, key client.ObjectKey, obj client.Object, err error) error) history.Parts {
	with = liveGet(with, change)
	return withFuncs(with, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
		return change(ctx, key, obj, c.Get(ctx, key, obj, opts...))
	}})
}
