package remediation

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// writes is a client whose writes are counted, and can be made to fail.
type writes struct {
	client client.Client

	mu   sync.Mutex
	made []string
	// meddle is called before each write that goes out; nil for none.
	meddle func(what string)
	// fail says what a write fails with, and whether it is carried out nevertheless; nil for none.
	fail func(what string) (err error, applied bool)
}

func newWrites(t *testing.T, e *env.Env) *writes {
	t.Helper()
	w := &writes{}
	c, err := client.NewWithWatch(e.Config, client.Options{Scheme: e.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	w.client = interceptor.NewClient(c, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
			return w.write("create", obj, func() error { return c.Create(ctx, obj, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
			return w.write("delete", obj, func() error { return c.Delete(ctx, obj, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			return w.write("patch", obj, func() error { return c.Patch(ctx, obj, patch, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			return w.write("patch "+sub+" of", obj, func() error { return c.SubResource(sub).Patch(ctx, obj, patch, opts...) })
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, obj client.Object, opts ...client.SubResourceUpdateOption) error {
			return w.write("update "+sub+" of", obj, func() error { return c.SubResource(sub).Update(ctx, obj, opts...) })
		},
	})
	return w
}

func (w *writes) write(verb string, obj client.Object, do func() error) error {
	kind := obj.GetObjectKind().GroupVersionKind().Kind
	if kind == "" {
		kind = reflect.TypeOf(obj).Elem().Name()
	}
	what := fmt.Sprintf("%s %s %s", verb, kind, obj.GetName())
	if w.meddle != nil {
		w.meddle(what)
	}
	w.mu.Lock()
	w.made = append(w.made, what)
	w.mu.Unlock()
	if w.fail != nil {
		if err, applied := w.fail(what); err != nil && applied {
			return fmt.Errorf("%w: %w", err, do())
		} else if err != nil {
			return err
		}
	}
	return do()
}

// since returns the writes since it was asked last.
func (w *writes) since() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	made := w.made
	w.made = nil
	return made
}

// failing has the writes fail that contain a text.
func failing(text string, err error, applied bool) func(string) (error, bool) {
	return func(what string) (error, bool) {
		if !strings.Contains(what, text) {
			return nil, false
		}
		return err, applied
	}
}

// onceBefore meddles once, before the first write that contains a text.
func onceBefore(text string, meddle func()) func(string) {
	var once sync.Once
	return func(what string) {
		if strings.Contains(what, text) {
			once.Do(meddle)
		}
	}
}

// count counts the writes that contain a text.
func count(made []string, text string) int {
	return len(slices.DeleteFunc(slices.Clone(made), func(what string) bool { return !strings.Contains(what, text) }))
}

// counting is a reader that remembers what was read.
type counting struct {
	client.Reader

	mu   sync.Mutex
	read []string
}

// Get implements client.Reader.
func (c *counting) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	c.mu.Lock()
	c.read = append(c.read, reflect.TypeOf(obj).Elem().Name()+" "+key.Name)
	c.mu.Unlock()
	return c.Reader.Get(ctx, key, obj, opts...)
}

// List implements client.Reader.
func (c *counting) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	c.mu.Lock()
	c.read = append(c.read, reflect.TypeOf(list).Elem().Name())
	c.mu.Unlock()
	return c.Reader.List(ctx, list, opts...)
}

func (c *counting) sorted() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(slices.Values(c.read))
}
