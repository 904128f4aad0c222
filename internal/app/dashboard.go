package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/internal/dashboard"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/fleet"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// dashboardName is the name of the dashboard in logs.
const dashboardName = "dashboard"

// shownFleet is the fleet that the dashboard shows. It has nothing until the kinds of Cluster API are
// installed.
type shownFleet struct {
	observer atomic.Pointer[fleet.Observer]
	// records reports whether Sickbay's own kinds are installed.
	records func() bool
}

// Owners implements dashboard.Fleet. There is an observer by then: a simulation needs a look.
func (f *shownFleet) Owners(ctx context.Context, most int) func(*clusterv1.Machine, *clusterv1.Cluster) (silence.Facts, error) {
	return f.observer.Load().Owners(ctx, most)
}

// Look reads the fleet.
func (f *shownFleet) Look(ctx context.Context, namespace string) (explain.Facts, error) {
	observer := f.observer.Load()
	if observer == nil {
		return explain.Facts{}, errors.New("the kinds of Cluster API are not installed in this cluster yet")
	}
	now := *observer
	now.Records = f.records()
	return now.Look(ctx, namespace)
}

// addHealthAndFleet adds the controllers that judge machines, and lets the dashboard, if there is one, show
// them.
func (c *clusterAPI) addHealthAndFleet(ctx context.Context, mgr ctrl.Manager) error {
	if err := c.addHealth(ctx, mgr); err != nil || c.shown == nil {
		return err
	}
	observer := c.newFleet(mgr)
	observer.AskManagers, observer.LeaseNamespace = true, leaseNamespace(c.options)
	if !c.options.LeaderElect {
		name, err := os.Hostname()
		if err != nil {
			return fmt.Errorf("reading the name of this host: %w", err)
		}
		observer.Alone = name
	}
	c.shown.records = c.records.Load
	c.shown.observer.Store(observer)
	return nil
}

// newDashboard makes the manager serve the dashboard, on every replica.
func newDashboard(ctx context.Context, mgr ctrl.Manager, o Options, shown *shownFleet) (*dashboard.Server, error) {
	guard, err := dashboard.NewGuard(dashboard.GuardOptions{
		Config: mgr.GetConfig(), Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper(), Namespace: o.Namespace, Policy: o.Policy, Clock: clock.RealClock{},
	})
	if err != nil {
		return nil, err
	}
	options := dashboard.Options{Fleet: shown, Namespace: o.Namespace, Policy: o.Policy, Clock: clock.RealClock{}, Viewer: dashboard.Viewer}
	if o.DashboardActions {
		options.Actions = guard
	}
	pages, err := dashboard.New(options)
	if err != nil {
		return nil, fmt.Errorf("making the dashboard: %w", err)
	}
	server := &dashboard.Server{Handler: guard.Protect(pages.Handler()), CertDir: o.DashboardCertDir, Log: mgr.GetLogger().WithName(dashboardName)}
	if err := mgr.Add(scaffold.Everywhere(pages.Run)); err != nil {
		return nil, fmt.Errorf("adding the dashboard: %w", err)
	}
	if err := mgr.Add(server); err != nil {
		return nil, fmt.Errorf("adding the dashboard: %w", err)
	}
	return server, server.Listen(ctx, o.DashboardBindAddress)
}
