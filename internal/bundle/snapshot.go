package bundle

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// snapshot holds what was read of a management cluster. A snapshotReader with a source reads from it what the snapshot lacks, once, so two
// looks see the same. Like a cache, it answers by the indexes that were added.
type snapshot struct {
	scheme *runtime.Scheme
	// keeps reports whether an object is of interest. The snapshot ignores all others.
	keeps func(client.Object) bool

	mu       sync.Mutex
	objects  map[schema.GroupVersionKind]map[client.ObjectKey]*kept
	listed   map[place]bool
	refusals map[place]error
	indexes  map[index]client.IndexerFunc
}

// kept is an object in a snapshot.
type kept struct {
	obj client.Object
	// partial reports that only its metadata is known.
	partial bool
	// used reports that a read returned it.
	used bool
}

// place is the target of a read: an object, or all objects of a namespace if it has no name.
type place struct {
	gvk schema.GroupVersionKind
	key client.ObjectKey
}

type index struct {
	gvk   schema.GroupVersionKind
	field string
}

func newSnapshot(scheme *runtime.Scheme) *snapshot {
	return &snapshot{
		scheme: scheme, keeps: func(client.Object) bool { return true }, objects: map[schema.GroupVersionKind]map[client.ObjectKey]*kept{},
		listed: map[place]bool{}, refusals: map[place]error{}, indexes: map[index]client.IndexerFunc{},
	}
}

// IndexField implements client.FieldIndexer.
func (s *snapshot) IndexField(_ context.Context, obj client.Object, field string, extract client.IndexerFunc) error {
	gvk, err := apiutil.GVKForObject(obj, s.scheme)
	if err != nil {
		return fmt.Errorf("indexing %T: %w", obj, err)
	}
	s.indexes[index{gvk, field}] = extract
	return nil
}

// snapshotReader reads a snapshot, and reads what that lacks from a source; nil if there is none.
type snapshotReader struct {
	*snapshot
	source client.Reader
}

// Get implements client.Reader.
func (v snapshotReader) Get(ctx context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	gvk, err := v.kind(obj)
	if err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	_, partial := obj.(*metav1.PartialObjectMetadata)
	found := v.objects[gvk][key]
	if v.source != nil && !v.knows(gvk, key) && (found == nil || found.partial && !partial) {
		if found, err = v.fetch(ctx, gvk, key, partial); err != nil {
			return err
		}
	}
	if found == nil {
		return cmp.Or(v.refusals[place{gvk, key}], notFound(gvk, key.Name))
	}
	found.used = true
	return into(found.obj, gvk, obj)
}

func notFound(gvk schema.GroupVersionKind, name string) error {
	plural, _ := meta.UnsafeGuessKindToResource(gvk)
	return apierrors.NewNotFound(plural.GroupResource(), name)
}

// kind returns the kind of an object or a list. It refuses Secrets.
func (s *snapshot) kind(obj runtime.Object) (schema.GroupVersionKind, error) {
	gvk, err := apiutil.GVKForObject(obj, s.scheme)
	if err != nil {
		return gvk, fmt.Errorf("reading %T: %w", obj, err)
	}
	if gvk.GroupKind() == corev1.SchemeGroupVersion.WithKind("Secret").GroupKind() {
		return gvk, fmt.Errorf("reading %T: Secrets are no part of a bundle", obj)
	}
	return gvk, nil
}

// knows reports whether a list would have included the object.
func (s *snapshot) knows(gvk schema.GroupVersionKind, key client.ObjectKey) bool {
	if s.objects[gvk][key] != nil && s.objects[gvk][key].partial {
		return false
	}
	return s.lists(gvk, key.Namespace) && s.scheme.Recognizes(gvk)
}

func (s *snapshot) lists(gvk schema.GroupVersionKind, namespace string) bool {
	return s.listed[place{gvk, client.ObjectKey{}}] || s.listed[place{gvk, client.ObjectKey{Namespace: namespace}}]
}

// fetch reads an object from the source.
func (v snapshotReader) fetch(ctx context.Context, gvk schema.GroupVersionKind, key client.ObjectKey, partial bool) (*kept, error) {
	obj := v.blank(gvk, partial)
	if err := v.source.Get(ctx, key, obj); err != nil {
		v.refusals[place{gvk, key}] = err
		return nil, err
	}
	if !v.keeps(obj) {
		return nil, notFound(gvk, key.Name)
	}
	return v.store(gvk, obj), nil
}

// blank returns an empty object of a kind.
func (s *snapshot) blank(gvk schema.GroupVersionKind, partial bool) client.Object {
	if partial {
		return scaffold.MetadataOf(gvk)
	}
	if made, err := s.scheme.New(gvk); err == nil {
		if obj, ok := made.(client.Object); ok {
			return obj
		}
	}
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(gvk)
	return obj
}

// store adds the parts of an object on which decisions depend.
func (s *snapshot) store(gvk schema.GroupVersionKind, obj client.Object) *kept {
	_, partial := obj.(*metav1.PartialObjectMetadata)
	one := &kept{obj: reduce(obj), partial: partial}
	s.keep(gvk, client.ObjectKeyFromObject(obj), one)
	return one
}

func (s *snapshot) keep(gvk schema.GroupVersionKind, key client.ObjectKey, one *kept) {
	if s.objects[gvk] == nil {
		s.objects[gvk] = map[client.ObjectKey]*kept{}
	}
	s.objects[gvk][key] = one
}

// sorted returns the keys of a map, in order.
func sorted[K interface {
	comparable
	fmt.Stringer
}, V any](of map[K]V) []K {
	return slices.SortedFunc(maps.Keys(of), func(a, b K) int { return cmp.Compare(a.String(), b.String()) })
}
