package app

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
)

// part is a part of the manager whose controllers start once the kinds that they need are installed: a manager that watches a
// missing kind does not start at all.
type part struct {
	name  string
	kinds []schema.GroupVersionKind
	add   func(ctx context.Context, mgr ctrl.Manager) error
}

func (p part) start(ctx context.Context, mgr ctrl.Manager) error {
	if err := p.add(ctx, mgr); err != nil {
		return fmt.Errorf("adding %s: %w", p.name, err)
	}
	return nil
}

// missing returns the kinds that mapper does not know.
func (p part) missing(mapper meta.RESTMapper) ([]string, error) {
	var missing []string
	for _, kind := range p.kinds {
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
