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
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// snapshot holds what was read of a management cluster. A view with a source reads from it what the snapshot lacks, once, so two
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

// view reads a snapshot, and reads what that lacks from a source; nil if there is none.
type view struct {
	*snapshot
	source client.Reader
}

// Get implements client.Reader.
func (v view) Get(ctx context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
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
func (v view) fetch(ctx context.Context, gvk schema.GroupVersionKind, key client.ObjectKey, partial bool) (*kept, error) {
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
		obj := &metav1.PartialObjectMetadata{}
		obj.SetGroupVersionKind(gvk)
		return obj
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
	if s.objects[gvk] == nil {
		s.objects[gvk] = map[client.ObjectKey]*kept{}
	}
	s.objects[gvk][client.ObjectKeyFromObject(obj)] = one
	return one
}

// List implements client.Reader.
func (v view) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	gvk, err := v.kind(list)
	if err != nil {
		return err
	}
	gvk.Kind = gvk.Kind[:len(gvk.Kind)-len("List")]
	options := client.ListOptions{}
	options.ApplyOptions(opts)
	v.mu.Lock()
	defer v.mu.Unlock()
	at := place{gvk, client.ObjectKey{Namespace: options.Namespace}}
	if v.source != nil && !v.lists(gvk, options.Namespace) {
		if options.Limit == 1 {
			// The caller asks whether the kind can be listed at all.
			return v.noted(at, v.source.List(ctx, list, opts...))
		}
		if err := v.fetchAll(ctx, at, list); err != nil {
			return v.noted(at, err)
		}
	}
	if err := v.refusals[at]; err != nil {
		return err
	}
	return v.tell(list, gvk, options)
}

func (s *snapshot) noted(at place, err error) error {
	if err != nil {
		s.refusals[at] = err
	}
	return err
}

// fetchAll reads all objects of a namespace from the source.
func (v view) fetchAll(ctx context.Context, at place, like client.ObjectList) error {
	all := like.DeepCopyObject().(client.ObjectList)
	if err := v.source.List(ctx, all, client.InNamespace(at.key.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return err
	}
	items, err := meta.ExtractList(all)
	if err != nil {
		return fmt.Errorf("reading the items of a list: %w", err)
	}
	for _, item := range items {
		obj := item.(client.Object)
		if before := v.objects[at.gvk][client.ObjectKeyFromObject(obj)]; before == nil && v.keeps(obj) {
			v.store(at.gvk, obj)
		}
	}
	v.listed[at] = true
	return nil
}

// tell fills a list with the matching objects, by namespace and name.
func (s *snapshot) tell(list client.ObjectList, gvk schema.GroupVersionKind, options client.ListOptions) error {
	var items []runtime.Object
	for _, key := range slices.SortedFunc(maps.Keys(s.objects[gvk]), func(a, b client.ObjectKey) int { return cmp.Compare(a.String(), b.String()) }) {
		one := s.objects[gvk][key]
		matches, err := s.matches(gvk, one.obj, options)
		if err != nil {
			return err
		}
		if !matches {
			continue
		}
		one.used = true
		item := runtime.Object(one.obj)
		if _, partial := list.(*metav1.PartialObjectMetadataList); partial {
			item = metadataOf(one.obj, gvk)
		}
		items = append(items, item)
	}
	return meta.SetList(list, items)
}

func (s *snapshot) matches(gvk schema.GroupVersionKind, obj client.Object, options client.ListOptions) (bool, error) {
	if options.Namespace != "" && obj.GetNamespace() != options.Namespace {
		return false, nil
	}
	if options.LabelSelector != nil && !options.LabelSelector.Matches(labelsOf(obj)) {
		return false, nil
	}
	if options.FieldSelector == nil {
		return true, nil
	}
	for _, required := range options.FieldSelector.Requirements() {
		if has, err := s.has(gvk, obj, required); err != nil || !has {
			return false, err
		}
	}
	return true, nil
}

// has reports whether an object meets a requirement on a field.
func (s *snapshot) has(gvk schema.GroupVersionKind, obj client.Object, required fields.Requirement) (bool, error) {
	extract := s.indexes[index{gvk, required.Field}]
	if extract == nil {
		return false, fmt.Errorf("%s has no index %s", gvk.Kind, required.Field)
	}
	return slices.Contains(extract(obj), required.Value), nil
}
