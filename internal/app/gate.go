package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// gatePeriod is how often kinds that are not installed are looked for.
const gatePeriod = 5 * time.Second

// gate holds controllers back until the kinds that they need are installed, since
// a manager that watches a kind that is not there does not start at all.
type gate struct {
	name  string
	kinds []schema.GroupVersionKind
	add   func(ctx context.Context, mgr ctrl.Manager) error
}

// addTo adds the controllers to mgr, at once if their kinds are installed.
func (g gate) addTo(ctx context.Context, mgr ctrl.Manager) error {
	missing, err := g.missing(mgr.GetRESTMapper())
	if err != nil {
		return err
	}
	if len(missing) == 0 {
		return g.open(ctx, mgr)
	}
	mgr.GetLogger().Info("Controllers wait for their kinds to be installed", "controllers", g.name, "missing", strings.Join(missing, ", "))
	return mgr.Add(waiting{g, mgr})
}

func (g gate) open(ctx context.Context, mgr ctrl.Manager) error {
	if err := g.add(ctx, mgr); err != nil {
		return fmt.Errorf("adding %s: %w", g.name, err)
	}
	return nil
}

// missing returns the kinds that are not installed.
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

// waiting is a gate that is still closed while the manager runs.
type waiting struct {
	gate
	mgr ctrl.Manager
}

var _ manager.LeaderElectionRunnable = waiting{}

// NeedLeaderElection lets a standby open its gates too, so that it is warm.
func (w waiting) NeedLeaderElection() bool { return false }

// Start waits for the kinds, then adds the controllers to the running manager.
func (w waiting) Start(ctx context.Context) error {
	err := wait.PollUntilContextCancel(ctx, gatePeriod, false, func(context.Context) (bool, error) {
		missing, err := w.missing(w.mgr.GetRESTMapper())
		if err != nil {
			w.mgr.GetLogger().V(1).Info("Cannot look for kinds", "controllers", w.name, "err", err)
			return false, nil
		}
		return len(missing) == 0, nil
	})
	if err != nil {
		// The manager stops.
		return nil
	}
	w.mgr.GetLogger().Info("Controllers start, their kinds are installed", "controllers", w.name)
	return w.open(ctx, w.mgr)
}
