package world

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/cluster-api/feature"
	inmemoryruntime "sigs.k8s.io/cluster-api/test/infrastructure/inmemory/pkg/runtime"
	inmemoryserver "sigs.k8s.io/cluster-api/test/infrastructure/inmemory/pkg/server"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world/metal"
)

// World is a running Cluster API installation with its workload clusters.
type World struct {
	options    Options
	config     *rest.Config
	client     client.Client
	memory     inmemoryruntime.Manager
	mux        *inmemoryserver.WorkloadClustersMux
	kubeconfig []byte
	etcd       string
	pids       func() (map[string]int, error)
	synthetic  func() (*synthetic, error)
	metal      *metal.Metal

	mu sync.Mutex
	// relays are the relays by cluster.
	relays map[client.ObjectKey]*relay

	// undo holds the functions that take the world down, in the order in which its parts were started.
	undo []func(context.Context) error
}

// Start builds a world and returns when its controllers run. The context only bounds the start: the world
// lives until Stop, or until the process ends.
func Start(ctx context.Context, options Options) (*World, error) {
	w := &World{options: options.withDefaults(), relays: map[client.ObjectKey]*relay{}}
	w.synthetic = sync.OnceValues(w.newSynthetic)
	if err := w.start(ctx); err != nil {
		return nil, errors.Join(err, w.Stop(context.WithoutCancel(ctx)))
	}
	return w, nil
}

func (w *World) start(ctx context.Context) error {
	logger := redirectLogs(w.options)
	if err := feature.MutableGates.Set(fmt.Sprintf("%s=%t,%s=true", feature.ReconcilerRateLimiting, w.options.RateLimit, feature.ClusterTopology)); err != nil {
		return fmt.Errorf("setting Cluster API's feature gates: %w", err)
	}
	plane, config, err := startControlPlane(w.options)
	if err != nil {
		return err
	}
	w.onStop(func(context.Context) error { return plane.stop() })
	w.config, w.kubeconfig, w.etcd = config, plane.env.KubeConfig, plane.env.ControlPlane.Etcd.URL.String()
	w.pids = plane.pids

	if w.client, err = client.New(config, client.Options{Scheme: NewScheme()}); err != nil {
		return fmt.Errorf("creating the client: %w", err)
	}
	if w.options.Bare {
		return nil
	}
	return w.startClusterAPI(ctx, logger)
}

// startClusterAPI starts the workload clusters and the controllers. The context only bounds the start.
func (w *World) startClusterAPI(ctx context.Context, logger logr.Logger) error {
	lifetime, end := context.WithCancel(ctrl.LoggerInto(context.WithoutCancel(ctx), logger))
	w.onStop(func(context.Context) error { end(); return nil })
	if err := w.startWorkload(lifetime); err != nil {
		return err
	}
	if w.options.Synthetic {
		return nil
	}
	mgr, err := newManager(w.config, logger)
	if err != nil {
		return err
	}
	conn, err := connect(lifetime, mgr, w.options.Concurrency)
	if err != nil {
		return err
	}
	w.onStop(func(context.Context) error { conn.close(); return nil })
	if err := addControllers(lifetime, mgr, w.options, conn, w.memory, w.mux); err != nil {
		return err
	}
	if w.options.BareMetal {
		if err := w.startMetal(ctx, lifetime, mgr); err != nil {
			return err
		}
	}
	return w.run(ctx, lifetime, mgr)
}

// startWorkload starts the memory and the servers of the workload clusters.
func (w *World) startWorkload(ctx context.Context) error {
	w.memory = inmemoryruntime.NewManager(workloadScheme())
	if err := w.memory.Start(ctx); err != nil {
		return fmt.Errorf("starting the memory of workload clusters: %w", err)
	}
	mux, err := startWorkloadServers(w.memory)
	if err != nil {
		return err
	}
	w.mux = mux
	w.onStop(w.stopWorkload)
	w.onStop(w.closeRelays)
	return nil
}

// stopWorkload breaks all connections before the shutdown, which would otherwise wait for watches of other
// processes.
func (w *World) stopWorkload(ctx context.Context) error {
	for listener := range w.mux.ListListeners() {
		if err := w.mux.StopListener(listener); err != nil {
			return fmt.Errorf("closing the API server of %s: %w", listener, err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, shutdownTimeout)
	defer cancel()
	if err := w.mux.Shutdown(ctx); err != nil {
		return fmt.Errorf("shutting down the workload clusters: %w", err)
	}
	return nil
}

// run starts the manager and waits until its controllers run.
func (w *World) run(starting, lifetime context.Context, mgr ctrl.Manager) error {
	ctx, end := context.WithCancel(lifetime)
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	w.onStop(func(context.Context) error {
		end()
		if err := <-ended; err != nil {
			return fmt.Errorf("running the manager: %w", err)
		}
		return nil
	})
	select {
	case err := <-ended:
		ended <- nil
		return fmt.Errorf("starting the manager: %w", err)
	case <-mgr.Elected():
	case <-starting.Done():
		return fmt.Errorf("waiting for the manager: %w", context.Cause(starting))
	}
	if !mgr.GetCache().WaitForCacheSync(starting) {
		return fmt.Errorf("waiting for the caches of the manager: %w", context.Cause(starting))
	}
	return nil
}

func (w *World) onStop(undo func(context.Context) error) {
	w.undo = append(w.undo, undo)
}

// Stop takes the world down completely: controllers, workload clusters, control plane. It can be called more
// than once.
func (w *World) Stop(ctx context.Context) error {
	var errs []error
	for len(w.undo) > 0 {
		last := len(w.undo) - 1
		errs = append(errs, w.undo[last](ctx))
		w.undo = w.undo[:last]
	}
	return errors.Join(errs...)
}

// Config returns an administrator's configuration for the management cluster.
func (w *World) Config() *rest.Config { return rest.CopyConfig(w.config) }

// Client returns a client of the management cluster. It has no cache: a read sees all earlier writes.
func (w *World) Client() client.Client { return w.client }

// Etcd returns the client URL of the management cluster's etcd.
func (w *World) Etcd() string { return w.etcd }

// PIDs returns the process IDs of the management cluster's control plane by the names of their binaries.
func (w *World) PIDs() (map[string]int, error) { return w.pids() }

// Now returns the time that the world's faults write.
func (w *World) Now() metav1.Time { return metav1.NewTime(w.options.Clock.Now()) }
