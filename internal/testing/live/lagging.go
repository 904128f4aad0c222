package live

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Lagging is a client whose reads can be made to lag behind, like reads from a cache. Its writes never lag.
type Lagging struct {
	client.Client

	mu sync.Mutex
	// answers is nil unless frozen.
	answers map[string]answer
	// upToDate are the types that never lag.
	upToDate []reflect.Type
}

type answer struct {
	obj runtime.Object
	err error
}

// NewLagging wraps a client that does not lag yet.
func NewLagging(c client.Client) *Lagging { return &Lagging{Client: c} }

// Freeze makes every later read repeat its first answer from now on. Read an object before changing it, to
// freeze its old state. Objects and lists of the given types never lag, since each kind has its own cache.
func (l *Lagging) Freeze(upToDate ...runtime.Object) {
	l.set(map[string]answer{})
	for _, obj := range upToDate {
		l.upToDate = append(l.upToDate, reflect.TypeOf(obj))
	}
}

// Thaw makes reads answer with the current state.
func (l *Lagging) Thaw() { l.set(nil) }

func (l *Lagging) set(answers map[string]answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answers, l.upToDate = answers, nil
}

// Get implements client.Reader.
func (l *Lagging) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	question := fmt.Sprintf("get %T %s %s", obj, obj.GetObjectKind().GroupVersionKind(), key)
	return l.read(question, obj, func() error { return l.Client.Get(ctx, key, obj, opts...) })
}

// List implements client.Reader.
func (l *Lagging) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	var options client.ListOptions
	options.ApplyOptions(opts)
	question := fmt.Sprintf("list %T %s %s %v", list, list.GetObjectKind().GroupVersionKind(), options.Namespace, options.FieldSelector)
	return l.read(question, list, func() error { return l.Client.List(ctx, list, opts...) })
}

func (l *Lagging) read(question string, into runtime.Object, ask func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if old, ok := l.answers[question]; ok {
		reflect.ValueOf(into).Elem().Set(reflect.ValueOf(old.obj.DeepCopyObject()).Elem())
		return old.err
	}
	err := ask()
	if l.answers != nil && !slices.Contains(l.upToDate, reflect.TypeOf(into)) {
		l.answers[question] = answer{into.DeepCopyObject(), err}
	}
	return err
}
