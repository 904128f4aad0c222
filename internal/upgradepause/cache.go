package upgradepause

import (
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// newTracker makes a tracker with its own cache. In the manager's cache, one kind that Sickbay may not read
// would keep all controllers from starting, since they wait for the whole cache.
func (r *Reconciler) newTracker(mgr ctrl.Manager, ctl controller.Controller) (*tracker, error) {
	options := cache.Options{
		HTTPClient: mgr.GetHTTPClient(), Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper(), DefaultTransform: reduce,
	}
	if r.Namespace != "" {
		options.DefaultNamespaces = map[string]cache.Config{r.Namespace: {}}
	}
	own, err := cache.New(mgr.GetConfig(), options)
	if err != nil {
		return nil, fmt.Errorf("making a cache: %w", err)
	}
	if err := mgr.Add(scaffold.Everywhere(own.Start)); err != nil {
		return nil, fmt.Errorf("adding a cache: %w", err)
	}
	return &tracker{cache: own, scheme: mgr.GetScheme(), ctl: ctl, clock: r.Clock, all: r.reader.all}, nil
}

// reduce drops unused fields before the cache stores an object.
func reduce(obj any) (any, error) { return pause.Trim(obj), nil }
