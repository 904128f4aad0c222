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

// Options of a soak.
type Options struct {
	// Seed decides what happens.
	Seed  uint64
	Shape result.Fleet
	// Duration is for how long things happen, Every how often on average.
	Duration, Every time.Duration
	// Beats is how many heartbeats Nodes send in a second, all together.
	Beats      int
	Allowances Allowances
	// Limits may be missing: a short soak says nothing about growth.
	Limits []Limit
	// Binary is the path of Sickbay, Dir is for a kubeconfig.
	Binary, Dir string
	// frozen is for how long the manager stands still in the middle, of which nobody is told: a fault that the report has to show.
	frozen time.Duration
	// Log gets what Sickbay and the API server say, Progress what the soak does.
	Log      io.Writer
	Progress *slog.Logger
}

const (
	// budget is the share of a cluster's machines that may be unhealthy. Storms exceed it now and then.
	budget = "40%"
	// owners is how many machines are replaced at once.
	owners = 4
	// patience is how long it may take until all machines are called healthy for the first time.
	patience = 5 * time.Minute
	// samplesLeast is how many there are, and sampleEvery how often they are taken if that makes more.
	samplesLeast = 40
	sampleEvery  = 10 * time.Second
)

// soak is one that goes on.
type soak struct {
	Options
	fleet   *fleet.Fleet
	roster  *roster
	ledger  *liveLedger
	owner   *owner
	manager *manager
	told    *forecast.Watcher
	claims  sync.Map
	// over is closed when the time is over: all that lasts is ended then.
	over chan struct{}

	mu     sync.Mutex
	report Report
}

// Run soaks. The error says what kept it from being carried out; what was found is in the report.
func Run(ctx context.Context, o Options) (Report, error) {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	o.Log = &shared{to: o.Log}
	o.Progress.Info("Making the fleet", "clusters", o.Shape.Clusters, "machinesInEach", o.Shape.Machines)
	f, err := fleet.StartLimited(ctx, o.Shape, budget, o.Log)
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
	// Ended before the fleet: an API server that stops waits for those who watch it.
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

// run has everything happen, and closes the ledger.
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
	// What goes on all the time ends when there is nothing left to be done.
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
