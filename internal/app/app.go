package app

import (
	"context"
	"fmt"
	"runtime"

	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"

	"github.com/sickbay-dev/sickbay/internal/cachelist"
	"github.com/sickbay-dev/sickbay/internal/dashboard"
	"github.com/sickbay-dev/sickbay/internal/tracing"
)

// +kubebuilder:rbac:groups=authentication.k8s.io,resources=tokenreviews,verbs=create
// +kubebuilder:rbac:groups=authorization.k8s.io,resources=subjectaccessreviews,verbs=create
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=sickbay-system,resources=leases,verbs=get;list;create;update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// App is a manager that is ready to run.
type App struct {
	Manager ctrl.Manager

	ready     *readiness
	dashboard *dashboard.Server
}

// New makes a manager with the enabled controllers. Controllers whose kinds are not installed join when the
// kinds appear.
func New(ctx context.Context, cfg *rest.Config, o Options) (*App, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	mgr, err := newManager(cfg, o)
	if err != nil {
		return nil, err
	}
	if err := addMetrics(mgr, o); err != nil {
		return nil, fmt.Errorf("adding the metrics of the manager: %w", err)
	}
	if o.tracer, err = newTracer(ctx, mgr, o); err != nil {
		return nil, err
	}
	ready := &readiness{cache: mgr.GetCache()}
	if err := mgr.AddReadyzCheck("caches", ready.probe); err != nil {
		return nil, fmt.Errorf("adding the readiness probe: %w", err)
	}
	app := &App{Manager: mgr, ready: ready}
	var shown *shownFleet
	if o.hasDashboard() {
		shown = &shownFleet{}
		if app.dashboard, err = newDashboard(ctx, mgr, o, shown); err != nil {
			return nil, err
		}
	}
	return app, addParts(ctx, mgr, parts(o, ready, shown), o.pace.kindsPeriod())
}

// newTracer makes the tracer, which stops with the manager; nil without an endpoint.
func newTracer(ctx context.Context, mgr ctrl.Manager, o Options) (*tracing.Tracer, error) {
	if o.TracingEndpoint == "" {
		return nil, nil
	}
	tracer, err := tracing.New(ctx, o.TracingEndpoint, Version)
	if err != nil {
		return nil, err
	}
	return tracer, mgr.Add(tracer)
}

// DashboardAddress is where the dashboard is served; empty if it is not.
func (a *App) DashboardAddress() string {
	if a.dashboard == nil {
		return ""
	}
	return a.dashboard.Address()
}

// Ready returns an error until the manager has read what its controllers need. Controllers whose kinds are not
// installed need nothing.
func (a *App) Ready(ctx context.Context) error { return a.ready.check(ctx) }

// Run runs the manager until ctx ends, and returns when all work has stopped.
func (a *App) Run(ctx context.Context) error {
	if err := a.Manager.Start(ctx); err != nil {
		return fmt.Errorf("running the manager: %w", err)
	}
	return nil
}

func newManager(cfg *rest.Config, o Options) (ctrl.Manager, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS, cfg.Burst = o.KubeAPIQPS, o.KubeAPIBurst
	cfg.UserAgent = "sickbay/" + Version
	cfg.Wrap(withEventsLast())
	if o.PprofBindAddress != off {
		// Without this, the mutex profile is empty. Sampling one wait in a hundred has no measurable cost.
		runtime.SetMutexProfileFraction(100)
	}
	informers := &cachelist.Informers{}
	cached, err := cacheOptions(o, informers)
	if err != nil {
		return nil, fmt.Errorf("describing the cache: %w", err)
	}
	options := ctrl.Options{
		Scheme:                        Scheme(),
		Logger:                        o.Logger,
		Cache:                         cached,
		NewClient:                     informers.NewClient(o.NewClient),
		HealthProbeBindAddress:        o.HealthProbeBindAddress,
		Metrics:                       guarded(o.MetricsBindAddress),
		PprofBindAddress:              openProfiles(o),
		LeaderElectionReleaseOnCancel: true,
		Controller: config.Controller{
			SkipNameValidation: &o.SkipNameValidation,
			// The priority queue of this version of controller-runtime can block for ever at shutdown (its
			// issue 3538): the manager would hang for its grace period of 30 seconds before it gives back the
			// lease.
			UsePriorityQueue: new(false),
		},
	}
	lock, err := newLock(cfg, o)
	if err != nil {
		return nil, err
	}
	if lock != nil {
		options.LeaderElection, options.LeaderElectionResourceLockInterface = true, lock
	}
	o.pace.fill(&options)
	mgr, err := ctrl.NewManager(cfg, options)
	if err != nil {
		return nil, fmt.Errorf("making the manager: %w", err)
	}
	if lock != nil {
		lock.LockConfig.EventRecorder = elections{mgr.GetEventRecorder("lease")}
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return nil, fmt.Errorf("adding the health probe: %w", err)
	}
	return mgr, addProfiles(mgr, o)
}
