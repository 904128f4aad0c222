package env

import (
	"context"
	"testing"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// ManagerOptions configure a test's manager. The zero value is usable.
type ManagerOptions struct {
	// Namespaces limits the cache, so that tests do not act on each other's objects in the shared API server.
	Namespaces []string
	// Setup adds controllers and indexes, before the manager starts.
	Setup func(ctrl.Manager) error
	// Configure changes any other option.
	Configure func(*ctrl.Options)
}

// Manager starts a manager in the background and returns it with its cache filled. It stops when the test ends, and
// the test fails if it stops with an error.
func (e *Env) Manager(t testing.TB, opts ManagerOptions) ctrl.Manager {
	t.Helper()
	mgr, err := ctrl.NewManager(e.Config, e.managerOptions(opts))
	if err != nil {
		t.Fatalf("making a manager: %v", err)
	}
	if opts.Setup != nil {
		if err := opts.Setup(mgr); err != nil {
			t.Fatalf("setting up the manager: %v", err)
		}
	}

	// Not t.Context(): it ends before the cleanups, and later cleanups may still need the controllers.
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-stopped; err != nil {
			t.Errorf("running the manager: %v", err)
		}
	})
	if !mgr.GetCache().WaitForCacheSync(t.Context()) {
		t.Fatal("filling the manager's cache: it did not sync")
	}
	return mgr
}

func (e *Env) managerOptions(opts ManagerOptions) ctrl.Options {
	options := ctrl.Options{
		Scheme:  e.Scheme,
		Metrics: metricsserver.Options{BindAddress: "0"},
		Controller: config.Controller{
			// Every test has its own manager, with controllers of the same names.
			SkipNameValidation: new(true),
			// The priority queue of this version of controller-runtime can block for ever at shutdown (its issue
			// 3538).
			UsePriorityQueue: new(false),
		},
	}
	if len(opts.Namespaces) > 0 {
		options.Cache.DefaultNamespaces = map[string]cache.Config{}
		for _, ns := range opts.Namespaces {
			options.Cache.DefaultNamespaces[ns] = cache.Config{}
		}
	}
	if opts.Configure != nil {
		opts.Configure(&options)
	}
	return options
}
