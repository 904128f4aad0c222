// Package live lets tests call code that lists through field indexes without a cache.
//
// It is part of internal/testing. The API server knows no field indexes of ours; a manager's cache
// does, but it is always a little behind, and a test that calls Reconcile directly would have to wait
// for it at each step.
package live

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/internal/targets"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// Client returns a client that reads and writes without a cache and answers lists by the fields of
// targets.Indexes.
func Client(t testing.TB, e *env.Env) client.Client {
	t.Helper()
	c, err := client.NewWithWatch(e.Config, client.Options{Scheme: e.Scheme})
	if err != nil {
		t.Fatalf("making a live client: %v", err)
	}
	return interceptor.NewClient(c, interceptor.Funcs{List: list})
}

// list asks for everything and keeps what the indexes would have found.
func list(ctx context.Context, c client.WithWatch, objects client.ObjectList, opts ...client.ListOption) error {
	options := (&client.ListOptions{}).ApplyOptions(opts)
	var wanted fields.Requirements
	if options.FieldSelector != nil {
		wanted = options.FieldSelector.Requirements()
	}
	options.FieldSelector, options.UnsafeDisableDeepCopy = nil, nil
	if err := c.List(ctx, objects, options); err != nil || len(wanted) == 0 {
		return err
	}
	found, err := meta.ExtractList(objects)
	if err != nil {
		return fmt.Errorf("reading a list: %w", err)
	}
	for _, field := range wanted {
		extract, err := extractor(c.Scheme(), objects, field.Field)
		if err != nil {
			return err
		}
		found = slices.DeleteFunc(found, func(obj runtime.Object) bool {
			return !slices.Contains(extract(obj.(client.Object)), field.Value)
		})
	}
	return meta.SetList(objects, found)
}

// extractor returns the index of that kind and name.
func extractor(scheme *runtime.Scheme, objects client.ObjectList, field string) (client.IndexerFunc, error) {
	kind, err := apiutil.GVKForObject(objects, scheme)
	if err != nil {
		return nil, fmt.Errorf("finding the kind of a list: %w", err)
	}
	kind.Kind = strings.TrimSuffix(kind.Kind, "List")
	for _, index := range targets.Indexes() {
		indexed, err := apiutil.GVKForObject(index.Object, scheme)
		if err == nil && indexed == kind && index.Field == field {
			return index.Extract, nil
		}
	}
	return nil, fmt.Errorf("there is no index of %s by %s", kind.Kind, field)
}
