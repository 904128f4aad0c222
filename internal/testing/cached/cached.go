// Package cached makes caches like those of managers, filled without an API server: for benchmarks with more objects than a test could create.
package cached

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/cachelist"
)

// New returns a client that reads from a cache and writes to another client, which may be nil. The cache has these objects, which never
// change, and the indexes that index adds. It stops when the test ends.
func New(tb testing.TB, writes client.Client, index func(context.Context, client.FieldIndexer) error, objects ...client.Object) client.Client {
	tb.Helper()
	scheme := runtime.NewScheme()
	utilruntime.Must(clusterv1.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	mapper, kinds := meta.NewDefaultRESTMapper(nil), map[schema.GroupVersionKind][]runtime.Object{}
	for gvk := range scheme.AllKnownTypes() {
		mapper.Add(gvk, meta.RESTScopeNamespace)
	}
	for _, obj := range objects {
		gvk := kindOf(tb, scheme, obj)
		kinds[gvk] = append(kinds[gvk], obj)
	}
	informers := &cachelist.Informers{}
	all, err := cache.New(&rest.Config{Host: "http://nowhere.invalid"}, cache.Options{
		Scheme: scheme, Mapper: mapper,
		NewInformer: func(_ toolscache.ListerWatcher, obj runtime.Object, resync time.Duration, indexers toolscache.Indexers) toolscache.SharedIndexInformer {
			return informers.NewInformer(unchanging(kinds[kindOf(tb, scheme, obj)]), obj, resync, indexers)
		},
	})
	if err != nil {
		tb.Fatalf("making a cache: %v", err)
	}
	if err := index(tb.Context(), all); err != nil {
		tb.Fatal(err)
	}
	go func() { _ = all.Start(tb.Context()) }()
	if !all.WaitForCacheSync(tb.Context()) {
		tb.Fatal("filling a cache: it did not sync")
	}
	return informers.Client(split{writes, all})
}

// split is a client that reads elsewhere.
type split struct {
	client.Client

	reader client.Reader
}

// Get implements client.Reader.
func (c split) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	return c.reader.Get(ctx, key, obj, opts...)
}

// List implements client.Reader.
func (c split) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	return c.reader.List(ctx, list, opts...)
}

func kindOf(tb testing.TB, scheme *runtime.Scheme, obj runtime.Object) schema.GroupVersionKind {
	tb.Helper()
	gvk, err := apiutil.GVKForObject(obj, scheme)
	if err != nil {
		tb.Fatal(err)
	}
	return gvk
}

// unchanging lists objects, and never sends events.
func unchanging(objects []runtime.Object) toolscache.ListerWatcher {
	lw := &toolscache.ListWatch{
		ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
			list := &metav1.List{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
			for _, obj := range objects {
				list.Items = append(list.Items, runtime.RawExtension{Object: obj})
			}
			return list, nil
		},
		WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return watch.NewFake(), nil },
	}
	return toolscache.ToListWatcherWithWatchListSemantics(lw, listsOnly{})
}

// listsOnly means that a watch does not begin with the existing objects.
type listsOnly struct{}

func (listsOnly) IsWatchListSemanticsUnSupported() bool { return true }
