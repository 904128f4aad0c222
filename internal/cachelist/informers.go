package cachelist

import (
	"reflect"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Informers are the informers of one manager's cache. It is safe for concurrent use, and the zero value is ready to use.
type Informers struct {
	mu sync.RWMutex
	of map[reflect.Type][]toolscache.SharedIndexInformer
}

// NewInformer makes an informer for a cache, as cache.Options.NewInformer.
func (i *Informers) NewInformer(lw toolscache.ListerWatcher, obj runtime.Object, resync time.Duration, indexers toolscache.Indexers) toolscache.SharedIndexInformer {
	informer := toolscache.NewSharedIndexInformer(lw, obj, resync, indexers)
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.of == nil {
		i.of = map[reflect.Type][]toolscache.SharedIndexInformer{}
	}
	i.of[reflect.TypeOf(obj)] = append(i.of[reflect.TypeOf(obj)], informer)
	return informer
}

// NewClient returns a function that makes a client as before, whose cache List reads by pointer.
func (i *Informers) NewClient(before client.NewClientFunc) client.NewClientFunc {
	if before == nil {
		before = client.New
	}
	return func(config *rest.Config, options client.Options) (client.Client, error) {
		c, err := before(config, options)
		if err != nil {
			return nil, err
		}
		return i.Client(c), nil
	}
}

// Client returns a client whose cache has these informers.
func (i *Informers) Client(c client.Client) client.Client { return indexed{c, i} }

// indexed is a client with the informers of its cache.
type indexed struct {
	client.Client

	informers *Informers
}

// byIndex returns the objects of a type that have a value in an index; none if an informer has not read them yet.
func (i *Informers) byIndex(kind reflect.Type, index, value string) []any {
	i.mu.RLock()
	informers := i.of[kind]
	i.mu.RUnlock()
	var all []any
	for _, informer := range informers {
		if informer.IsStopped() || !informer.HasSynced() {
			return nil
		}
		some, err := informer.GetIndexer().ByIndex(index, value)
		if err != nil {
			// controller-runtime knows the index by another name.
			return nil
		}
		all = append(all, some...)
	}
	return all
}
