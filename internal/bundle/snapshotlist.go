package bundle

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// List implements client.Reader.
func (v snapshotReader) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
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
func (v snapshotReader) fetchAll(ctx context.Context, at place, like client.ObjectList) error {
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
	for _, key := range sorted(s.objects[gvk]) {
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
	if options.LabelSelector != nil && !options.LabelSelector.Matches(labels.Set(obj.GetLabels())) {
		return false, nil
	}
	if options.FieldSelector == nil {
		return true, nil
	}
	for _, required := range options.FieldSelector.Requirements() {
		extract := s.indexes[index{gvk, required.Field}]
		if extract == nil {
			return false, fmt.Errorf("%s has no index %s", gvk.Kind, required.Field)
		}
		if !slices.Contains(extract(obj), required.Value) {
			return false, nil
		}
	}
	return true, nil
}
