// Package soak keeps Sickbay busy for a long time and checks that it stays as it was at the beginning. It injects random
// faults into thousands of machines, records everything that happens in a ledger, and at the end judges the ledger.
//
//	plan (from a seed) ──> faults ──> Nodes, Machines, MachineHealthChecks, clusters, the process ──> Sickbay
//	                          │                                                                          │
//	                          └────────────> ledger <──── what the API server says <─────────────────────┘
//	                                           └──> Judge           samples of its metrics ──> Trends
//
// The plan, and the judgement of the ledger and of the samples, are pure. The soak plays the owner of the machines: it
// deletes each Machine that is marked, and replaces it with a healthy one.
package soak

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
	"github.com/sickbay-dev/sickbay/sim/forecast"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// Options are the options of a soak.
type Options struct {
	// Seed determines the faults.
	Seed  uint64
	Shape result.Fleet
	// Duration is how long faults happen, and Every the average interval between them.
	Duration, Every time.Duration
	// Beats is how many heartbeats all Nodes together send per second.
	Beats      int
	Allowances Allowances
	// Limits may be empty, because a short soak says nothing about growth.
	Limits []Limit
	// Binary is the path of Sickbay, and Dir a directory for a kubeconfig.
	Binary, Dir string
	// frozen is how long the manager freezes in the middle of the soak. The ledger does not record that, so the report must show
	// it as a fault.
	frozen time.Duration
	// Log receives the logs of Sickbay and of the API server, Progress those of the soak.
	Log      io.Writer
	Progress *slog.Logger
}

const (
	// budget is the share of a cluster's machines that may be unhealthy. Storms sometimes exceed it.
	budget = "40%"
	// owners is how many machines the owner replaces at once.
	owners = 4
	// patience is how long it may take until all machines have a healthy verdict for the first time.
	patience = 5 * time.Minute
	// samplesLeast is the minimum number of samples, and sampleEvery the interval between samples if that gives more.
	samplesLeast = 40
	sampleEvery  = 10 * time.Second
)

// soak is a running soak.
type soak struct {
	Options
	fleet     *fleet.Fleet
	roster    *roster
	ledger    *Ledger
	owner     *owner
	manager   *manager
	forecasts *forecast.Watcher
	claims    sync.Map
	// over is closed at the end of the time, which ends all faults.
	over chan struct{}

	mu     sync.Mutex
	report Report
}

// Run runs a soak. The error says why it could not run; the report says what it found.
func Run(ctx context.Context, o Options) (Report, error) {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	o.Log = world.Shared(o.Log)
	o.Progress.Info("Making the fleet", "clusters", o.Shape.Clusters, "machinesInEach", o.Shape.Machines)
	f, err := fleet.Start(ctx, o.Shape, budget, o.Log)
	if err != nil {
		return Report{}, err
	}
	defer func() { _ = f.World.Stop(context.WithoutCancel(ctx)) }()
	s := &soak{Options: o, fleet: f, roster: newRoster(f.Machines, o.Shape.Machines), ledger: newLedger(), over: make(chan struct{})}
	s.report = Report{Options: o, Inflicted: map[Kind]int{}}
	s.owner = &owner{fleet: f, roster: s.roster, ledger: s.ledger, queue: workqueue.NewTyped[client.ObjectKey]()}
	if err := s.givePlans(ctx); err != nil {
		return Report{}, err
	}
	// End this before the fleet, because an API server that stops waits for its watches.
	watching, unwatch := context.WithCancel(ctx)
	defer unwatch()
	if err := s.ledger.watch(watching, f.World, s.owner.ask); err != nil {
		return Report{}, err
	}
	log := &reader{to: o.Log}
	runner, err := subject.Runner{Sickbay: o.Binary, Log: log}.Beside(ctx, f.World, o.Dir)
	if err != nil {
		return Report{}, err
	}
	s.manager = &manager{runner: runner, ledger: s.ledger, fail: fail}
	s.ledger.set(About{Fact: Down}, true)
	err = errors.Join(s.run(ctx, watching, fail), s.manager.stop())
	if err != nil {
		return s.report, err
	}
	s.report.judge(s.ledger, log.violations())
	s.report.addForecasts(s.forecasts.Report())
	return s.report, nil
}
