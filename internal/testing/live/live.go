// Package live makes a client without a cache answer like the manager's client.
//
// It is part of internal/testing. Controllers list by the indexes of targets and record, which exist only in
// a cache. Client also answers these lists, by looking at every object. So a test can call Reconcile
// directly, and each read shows the latest write.
package live

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
)

// Client wraps a client without a cache.
func Client(c client.Client) client.Client { return indexed{c} }

type indexed struct{ client.Client }

// List implements client.Reader.
func (i indexed) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	var options client.ListOptions
	options.ApplyOptions(opts)
	selector := options.FieldSelector
	options.FieldSelector, options.UnsafeDisableDeepCopy = nil, nil
	if err := i.Client.List(ctx, list, &options); err != nil || selector == nil {
		return err
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		return fmt.Errorf("reading the items of a list: %w", err)
	}
	var kept []runtime.Object
	for _, item := range items {
		if i.matches(item.(client.Object), selector) {
			kept = append(kept, item)
		}
	}
	return meta.SetList(list, kept)
}

// matches replaces the index of a cache.
func (i indexed) matches(obj client.Object, selector fields.Selector) bool {
	values := map[string][]string{}
	for _, index := range slices.Concat(mhcspec.Indexes(), recordstore.Indexes()) {
		wanted, err := i.GroupVersionKindFor(index.Object)
		if err != nil {
			// A test that does not register the kind does not list it.
			continue
		}
		if gvk, err := i.GroupVersionKindFor(obj); err != nil || gvk != wanted {
			continue
		}
		values[index.Field] = index.Extract(obj)
	}
	for _, required := range selector.Requirements() {
		if !slices.Contains(values[required.Field], required.Value) {
			return false
		}
	}
	return true
}
