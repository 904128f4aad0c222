package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
	"github.com/sickbay-dev/sickbay/sim/forecast"
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
	fleet   *fleet.Fleet
	roster  *roster
	ledger  *liveLedger
	owner   *owner
	manager *manager
	told    *forecast.Watcher
	claims  sync.Map
	// over is closed at the end of the time, which ends all faults.
	over chan struct{}

	mu     sync.Mutex
	report Report
}

// Run runs a soak. The error says why it could not run; the report says what it found.
func Run(ctx context.Context, o Options) (Report, error) {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	o.Log = &shared{to: o.Log}
	o.Progress.Info("Making the fleet", "clusters", o.Shape.Clusters, "machinesInEach", o.Shape.Machines)
	f, err := fleet.Start(ctx, o.Shape, budget, o.Log)
	if err != nil {
		return Report{}, err
	}
	defer func() { _ = f.Stop(context.WithoutCancel(ctx)) }()
	s := &soak{Options: o, fleet: f, roster: newRoster(f.Machines, o.Shape.Machines), ledger: newLiveLedger(), over: make(chan struct{})}
	s.report = Report{Options: o, Inflicted: map[Kind]int{}}
	s.owner = newOwner(f, s.roster, s.ledger)
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
	s.report.judge(s.ledger.ledger, log.violations())
	s.report.tell(s.told.Report())
	return s.report, nil
}

// run runs everything, and closes the ledger.
func (s *soak) run(ctx, watching context.Context, fail context.CancelCauseFunc) error {
	if err := s.manager.start(ctx); err != nil {
		return err
	}
	if err := s.settle(ctx, patience); err != nil {
		return err
	}
	if left := s.ledger.unsettled(); len(left) > 0 {
		return fmt.Errorf("%d machines are not called healthy after %s, the first is %s", len(left), patience, left[0])
	}
	if err := s.listen(watching); err != nil {
		return err
	}
	// Background work ends once nothing is left to do.
	background, end := context.WithCancel(ctx)
	var always sync.WaitGroup
	keep := func(do func(context.Context) error) {
		always.Go(func() {
			if err := do(background); err != nil && background.Err() == nil {
				fail(err)
			}
		})
	}
	for range owners {
		keep(s.owner.work)
	}
	began := time.Now()
	keep(s.beat)
	keep(s.freeze)
	keep(func(ctx context.Context) error { return s.watchUse(ctx, began) })
	err := s.carryOut(ctx, began)
	if err == nil {
		s.Progress.Info("Waiting until nothing is left to be done")
		err = s.settle(ctx, s.Allowances.Reconnect+s.Allowances.Patience+fleet.NodeTimeout)
	}
	s.ledger.close()
	s.owner.stop()
	end()
	always.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}
