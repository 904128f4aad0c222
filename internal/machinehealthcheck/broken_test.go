package machinehealthcheck

import (
	"context"
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

var errBroken = errors.New("broken on purpose")

// brokenReader lists nothing.
type brokenReader struct{ client.Reader }

func (brokenReader) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errBroken
}

// refusing returns a client whose writes go through unless refuse returns an error for the name of
// the object. Applied reports whether the write is carried out before its error is returned.
func (w *site) refusing(t *testing.T, refuse func(name string) (err error, applied bool)) client.Client {
	t.Helper()
	c, err := client.NewWithWatch(w.env.Config, client.Options{Scheme: w.env.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	try := func(name string, write func() error) error {
		broken, applied := refuse(name)
		if broken == nil {
			return write()
		}
		if applied {
			return errors.Join(broken, write())
		}
		return broken
	}
	return interceptor.NewClient(c, interceptor.Funcs{
		SubResourceApply: func(ctx context.Context, c client.Client, sub string, obj runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
			name := obj.(interface{ GetName() string }).GetName()
			return try(name, func() error { return c.SubResource(sub).Apply(ctx, obj, opts...) })
		},
		Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
			return try(obj.GetName(), func() error { return c.Create(ctx, obj, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
			return try(obj.GetName(), func() error { return c.Delete(ctx, obj, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			return try(obj.GetName(), func() error { return c.Patch(ctx, obj, patch, opts...) })
		},
	})
}
