package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// readiness fails until the manager has read what its controllers need. It waits only for those kinds:
// remediation templates and requests may have any kind, and one that cannot be read must not block the rest.
type readiness struct {
	cache cache.Cache

	mu    sync.Mutex
	needs []client.Object
}

// require adds kinds that controllers need.
func (r *readiness) require(objects ...client.Object) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.needs = append(r.needs, objects...)
}

// check returns an error for the kinds that are missing.
func (r *readiness) check(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var missing []error
	for _, obj := range r.needs {
		informer, err := r.cache.GetInformer(ctx, obj, cache.BlockUntilSynced(false))
		if err != nil {
			missing = append(missing, fmt.Errorf("reading %T: %w", obj, err))
			continue
		}
		if !informer.HasSynced() {
			missing = append(missing, fmt.Errorf("%T is not in the cache yet", obj))
		}
	}
	return errors.Join(missing...)
}

// probe is check as a health probe.
func (r *readiness) probe(req *http.Request) error { return r.check(req.Context()) }
