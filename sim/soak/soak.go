// Package soak keeps Sickbay busy for a long time, and checks what only time shows: its memory and goroutines stay flat, its log shows no bug, and
// once faults end, all machines are healthy. What must never happen in between is the explorer's matter (sim/explore), which judges each step.
//
// The soak plays the owner of the machines: it deletes each Machine that is marked, and replaces it with a healthy one.
package soak

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// Options are the options of a soak.
type Options struct {
	// Seed determines the faults.
	Seed  uint64
	Shape result.Fleet
	// Duration is how long faults happen, and Every the average interval between them.
	Duration, Every time.Duration
	// Patience is how long it may take until all machines are healthy, at the beginning and at the end.
	Patience time.Duration
	// Limits may be empty, because a short soak says nothing about growth.
	Limits []Limit
	// Binary is the path of Sickbay, and Dir a directory for a kubeconfig.
	Binary, Dir string
	// Log receives the logs of Sickbay and of the API server, Progress those of the soak.
	Log      io.Writer
	Progress *slog.Logger
}

// budget is the share of a cluster's machines that may be unhealthy. Storms sometimes exceed it.
const budget = "40%"

type soak struct {
	Options
	fleet   *fleet.Fleet
	pool    *pool
	process *subject.Process
	random  *rand.Rand
	report  Report
}

// Run runs a soak. The error says why it could not run; the report says what it found.
func Run(ctx context.Context, o Options) (Report, error) {
	o.Log = world.Shared(o.Log)
	o.Progress.Info("Making the fleet", "clusters", o.Shape.Clusters, "machinesInEach", o.Shape.Machines)
	f, err := fleet.Start(ctx, o.Shape, budget, o.Log)
	if err != nil {
		return Report{}, err
	}
	defer func() { _ = f.World.Stop(context.WithoutCancel(ctx)) }()
	// End this before the fleet, because an API server that stops waits for its watches.
	watching, unwatch := context.WithCancel(ctx)
	defer unwatch()
	s := &soak{Options: o, fleet: f, random: rand.New(rand.NewPCG(o.Seed, 0)), report: Report{Inflicted: map[Kind]int{}}}
	if s.pool, err = watchPool(watching, f); err != nil {
		return Report{}, err
	}
	bugs := &bugFinder{to: o.Log}
	runner, err := subject.Runner{Sickbay: o.Binary, Log: bugs}.Beside(ctx, f.World, o.Dir)
	if err != nil {
		return Report{}, err
	}
	// A short grace period, so that Sickbay says of silent clusters that they are.
	if s.process, err = runner.Start(ctx, result.Sickbay, "--remote-conditions-grace-period=20s"); err != nil {
		return Report{}, err
	}
	err = s.run(ctx)
	if err := errors.Join(err, s.process.Stop()); err != nil {
		return Report{}, err
	}
	var grown []string
	s.report.Trends, grown = Trends(s.report.Samples, o.Duration, o.Limits)
	s.report.Violations = append(append(s.report.Violations, bugs.violations()...), grown...)
	return s.report, nil
}

// run waits until Sickbay has judged all machines, injects faults for a while, and waits until all machines are healthy again.
func (s *soak) run(ctx context.Context) error {
	if left := s.settle(ctx); len(left) > 0 {
		return fmt.Errorf("%d machines are not called healthy after %s, the first is %s", len(left), s.Patience, left[0])
	}
	s.Progress.Info("Faults begin", "for", s.Duration)
	background, end := context.WithCancel(ctx)
	group, working := errgroup.WithContext(background)
	group.Go(func() error { return s.pool.replaceMarked(working) })
	group.Go(func() error { return s.pool.beat(working) })
	group.Go(func() error { return s.takeSamples(working) })
	group.Go(func() error {
		select {
		case <-s.process.Exited():
			return errors.New("the manager ended by itself")
		case <-working.Done():
			return nil
		}
	})
	err := s.inflictAll(working)
	if err == nil {
		s.Progress.Info("Waiting until all machines are healthy")
		for _, left := range s.settle(working) {
			s.report.Violations = append(s.report.Violations, fmt.Sprintf("Machine %s is not healthy %s after the last fault.", left, s.Patience))
		}
	}
	end()
	return errors.Join(err, group.Wait())
}

// settle waits until all machines are called healthy, and returns those that are not in time.
func (s *soak) settle(ctx context.Context) []string {
	waiting, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	_ = world.Poll(waiting, func(context.Context) error {
		if left := s.pool.unhealthy(); len(left) > 0 {
			return fmt.Errorf("%d machines are left", len(left))
		}
		return nil
	})
	return s.pool.unhealthy()
}

// bug matches what must never be in a log.
var bug = regexp.MustCompile(`DATA RACE|panic|(?i)nil pointer`)

// bugFinder forwards a log, and keeps the lines that show a bug.
type bugFinder struct {
	to io.Writer

	mu    sync.Mutex
	begun []byte
	found []string
}

// Write implements io.Writer.
func (b *bugFinder) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.begun = append(b.begun, p...)
	for line, rest, ended := bytes.Cut(b.begun, []byte("\n")); ended; line, rest, ended = bytes.Cut(b.begun, []byte("\n")) {
		if bug.Match(line) {
			b.found = append(b.found, string(line))
		}
		b.begun = rest
	}
	return b.to.Write(p)
}

// violations returns a sentence if the log shows a bug.
func (b *bugFinder) violations() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.found) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("The log of Sickbay shows a bug, the first of %d lines: %s", len(b.found), b.found[0])}
}
