package baremetal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	metal3api "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Operator is the simulation: the hosts, and an operator that can be stopped and started.
type Operator struct {
	cfg     *rest.Config
	options Options
	scheme  *runtime.Scheme
	// world is the context of the machines; end cancels it.
	world context.Context
	end   context.CancelFunc

	mu    sync.Mutex
	hosts map[client.ObjectKey]*Host

	// life is held while the process starts or stops, because it may still look up hosts then.
	life    sync.Mutex
	running *process
}

// process is one life of the operator.
type process struct {
	cancel  context.CancelFunc
	stopped chan error
}

// Start starts the operator and returns when it works. The context only bounds the start.
func Start(ctx context.Context, cfg *rest.Config, o Options) (*Operator, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS = -1 // a rate limit would dominate the timing
	op := &Operator{cfg: cfg, options: o.withDefaults(), scheme: runtime.NewScheme(), hosts: map[client.ObjectKey]*Host{}}
	op.world, op.end = context.WithCancel(context.WithoutCancel(ctx))
	if err := metal3api.AddToScheme(op.scheme); err != nil {
		return nil, fmt.Errorf("building the scheme: %w", err)
	}
	if err := op.Start(ctx); err != nil {
		return nil, err
	}
	return op, nil
}

// Host returns the machine behind a BareMetalHost, which need not exist yet.
func (o *Operator) Host(key client.ObjectKey) *Host {
	o.mu.Lock()
	defer o.mu.Unlock()
	host, ok := o.hosts[key]
	if !ok {
		host = newHost(o.world, key, o.options)
		o.hosts[key] = host
	}
	return host
}

// Start starts a stopped operator. It reads all its state from the API server.
func (o *Operator) Start(ctx context.Context) error {
	o.life.Lock()
	defer o.life.Unlock()
	if o.running != nil {
		return errors.New("the operator runs already")
	}
	mgr, err := o.newManager()
	if err != nil {
		return err
	}
	// Not ctx, which ends with the start.
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p := &process{cancel: cancel, stopped: make(chan error, 1)}
	go func() { p.stopped <- mgr.Start(life) }()
	if !mgr.GetCache().WaitForCacheSync(ctx) {
		cancel()
		return errors.Join(errors.New("starting the operator: its cache did not fill in time"), <-p.stopped)
	}
	o.running = p
	return nil
}

// Stop ends the operator's process. Machines and BMCs keep running.
func (o *Operator) Stop() error {
	o.life.Lock()
	defer o.life.Unlock()
	if o.running == nil {
		return nil
	}
	o.running.cancel()
	err := <-o.running.stopped
	o.running = nil
	if err != nil {
		return fmt.Errorf("stopping the operator: %w", err)
	}
	return nil
}

// Close ends the simulation: the operator stops, and all machines lose their power.
func (o *Operator) Close() error {
	err := o.Stop()
	o.mu.Lock()
	hosts := slices.Collect(maps.Values(o.hosts))
	o.mu.Unlock()
	for _, host := range hosts {
		host.close()
	}
	o.end()
	return err
}

func (o *Operator) newManager() (ctrl.Manager, error) {
	options := ctrl.Options{
		Scheme:     o.scheme,
		Logger:     o.options.Log,
		Metrics:    metricsserver.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: new(true)},
	}
	if len(o.options.Namespaces) > 0 {
		options.Cache.DefaultNamespaces = map[string]cache.Config{}
		for _, namespace := range o.options.Namespaces {
			options.Cache.DefaultNamespaces[namespace] = cache.Config{}
		}
	}
	mgr, err := ctrl.NewManager(o.cfg, options)
	if err != nil {
		return nil, fmt.Errorf("creating the operator's manager: %w", err)
	}
	err = ctrl.NewControllerManagedBy(mgr).
		Named("baremetalhost").
		For(&metal3api.BareMetalHost{}, builder.WithPredicates(worthALook)).
		WithOptions(controller.Options{MaxConcurrentReconciles: 4, NewQueue: o.newQueue}).
		Complete(&reconciler{client: mgr.GetClient(), live: mgr.GetAPIReader(), operator: o})
	if err != nil {
		return nil, fmt.Errorf("creating the operator's controller: %w", err)
	}
	return mgr, nil
}

// newQueue returns a queue that uses the clock of the simulation.
func (o *Operator) newQueue(
	name string, limit workqueue.TypedRateLimiter[reconcile.Request],
) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(limit,
		workqueue.TypedRateLimitingQueueConfig[reconcile.Request]{Name: name, Clock: o.options.Clock})
}
