package upgradepause

import (
	"context"
	"errors"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// meddling returns a client that does something before each patch.
func (f *fixture) meddling(meddle func()) client.Client {
	f.t.Helper()
	return f.patching(func(client.Object) error { meddle(); return nil })
}

// patching returns a client that calls ask before each patch; if ask returns an error, the patch fails with
// it.
func (f *fixture) patching(ask func(obj client.Object) error) client.Client {
	f.t.Helper()
	c, err := newPatching(f.env.Config, client.Options{Scheme: f.env.Scheme}, ask)
	if err != nil {
		f.t.Fatal(err)
	}
	return c
}

func newPatching(config *rest.Config, options client.Options, ask func(obj client.Object) error) (client.Client, error) {
	c, err := client.NewWithWatch(config, options)
	if err != nil {
		return nil, err
	}
	return interceptor.NewClient(c, interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			if err := ask(obj); err != nil {
				return err
			}
			return c.Patch(ctx, obj, patch, opts...)
		},
	}), nil
}

// once returns a function that acts only the first time.
func (*fixture) once(do func()) func() {
	var once sync.Once
	return func() { once.Do(do) }
}

// refuse returns an error for objects with a name.
func refuse(name string) func(client.Object) error {
	return func(obj client.Object) error {
		if obj.GetName() == name {
			return apierrors.NewForbidden(schema.GroupResource{Resource: "machinehealthchecks"}, name, errors.New("a webhook says no"))
		}
		return nil
	}
}
