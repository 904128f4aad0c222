package app

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
)

// gate holds controllers back until the kinds that they need are installed: a manager that watches a missing
// kind does not start at all.
type gate struct {
	name  string
	kinds []schema.GroupVersionKind
	add   func(ctx context.Context, mgr ctrl.Manager) error
}

func (g gate) open(ctx context.Context, mgr ctrl.Manager) error {
	if err := g.add(ctx, mgr); err != nil {
		return fmt.Errorf("adding %s: %w", g.name, err)
	}
	return nil
}

// missing returns the kinds that mapper does not know.
func (g gate) missing(mapper meta.RESTMapper) ([]string, error) {
	var missing []string
	for _, kind := range g.kinds {
		_, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if meta.IsNoMatchError(err) {
			missing = append(missing, kind.Kind+"."+kind.GroupVersion().String())
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("looking for kind %s: %w", kind.Kind, err)
		}
	}
	return missing, nil
}
