package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// write names a write of a remediation: what is written, and the how-manieth write of that it is.
type write struct {
	what string
	nth  int
}

func (w write) String() string { return fmt.Sprintf("%s (no. %d)", w.what, w.nth) }

// errCrashed is what the rest of a process that has crashed would hear, if there were one.
var errCrashed = errors.New("the process has crashed")

// crash is the client of a manager that dies at a certain write: nothing that it does after it has any effect.
type crash struct {
	// at is the write; the zero value never comes, and then the writes are only recorded.
	at write
	// after lets the write happen, so that it is its answer that nobody hears.
	after bool
	// role gives each object a name that is the same in every run.
	role func(obj any) string
	// kill ends the manager.
	kill context.CancelFunc

	mu      sync.Mutex
	writes  []write
	crashed bool
}

// newClient is a client.NewClientFunc.
func (c *crash) newClient(cfg *rest.Config, o client.Options) (client.Client, error) {
	real, err := client.NewWithWatch(cfg, o)
	if err != nil {
		return nil, err
	}
	return interceptor.NewClient(real, interceptor.Funcs{
		Get: func(ctx context.Context, real client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			return c.read(func() error { return real.Get(ctx, key, obj, opts...) })
		},
		List: func(ctx context.Context, real client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			return c.read(func() error { return real.List(ctx, list, opts...) })
		},
		Create: func(ctx context.Context, real client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
			return c.write("create", obj, func() error { return real.Create(ctx, obj, opts...) })
		},
		Delete: func(ctx context.Context, real client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
			return c.write("delete", obj, func() error { return real.Delete(ctx, obj, opts...) })
		},
		Patch: func(ctx context.Context, real client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			by := (&client.PatchOptions{}).ApplyOptions(opts).FieldManager
			return c.write("patch by "+by, obj, func() error { return real.Patch(ctx, obj, patch, opts...) })
		},
		Apply: func(ctx context.Context, real client.WithWatch, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			return c.write("apply", obj, func() error { return real.Apply(ctx, obj, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, real client.Client, sub string, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			by := (&client.SubResourcePatchOptions{}).ApplyOptions(opts).FieldManager
			return c.write("patch "+sub+" by "+by, obj, func() error { return real.SubResource(sub).Patch(ctx, obj, patch, opts...) })
		},
		SubResourceUpdate: func(ctx context.Context, real client.Client, sub string, obj client.Object, opts ...client.SubResourceUpdateOption) error {
			return c.write("update "+sub, obj, func() error { return real.SubResource(sub).Update(ctx, obj, opts...) })
		},
		SubResourceApply: func(ctx context.Context, real client.Client, sub string, obj runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
			by := (&client.SubResourceApplyOptions{}).ApplyOpts(opts).FieldManager
			return c.write("apply "+sub+" by "+by, obj, func() error { return real.SubResource(sub).Apply(ctx, obj, opts...) })
		},
		// Sickbay has no reason to call this; if it ever does, the tests here must learn of it.
		Update: func(context.Context, client.WithWatch, client.Object, ...client.UpdateOption) error {
			panic("a write of a kind that the crash tests do not know")
		},
	}), nil
}

func (c *crash) read(do func() error) error {
	if c.isOver() {
		return errCrashed
	}
	return do()
}

// write does a write, unless the process crashes at it, or has crashed.
func (c *crash) write(verb string, obj any, do func() error) error {
	switch c.reach(verb + " " + c.role(obj)) {
	case goOn:
		return do()
	case dieNow:
		if c.after {
			_ = do()
		}
		c.kill()
	case dead:
	}
	return errCrashed
}

// fate is what becomes of a write.
type fate int

const (
	goOn fate = iota
	dieNow
	dead
)

func (c *crash) reach(what string) fate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.crashed {
		return dead
	}
	w := write{what: what, nth: 1}
	for _, earlier := range c.writes {
		if earlier.what == what {
			w.nth++
		}
	}
	c.writes = append(c.writes, w)
	if w != c.at {
		return goOn
	}
	c.crashed = true
	return dieNow
}

func (c *crash) isOver() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.crashed
}

// recorded returns the writes so far.
func (c *crash) recorded() []write {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]write(nil), c.writes...)
}
