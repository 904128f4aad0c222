package soak

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/world"
)

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

// carryOut injects all faults of the plan at their times.
func (s *soak) carryOut(ctx context.Context, began time.Time) error {
	plan := s.plan()
	s.Progress.Info("Faults begin", "faults", len(plan), "for", s.Duration)
	group, together := errgroup.WithContext(ctx)
	for _, f := range plan {
		if err := s.wait(together, time.Until(began.Add(f.At))); err != nil {
			break
		}
		group.Go(func() error {
			done, err := s.inflict(together, f)
			s.mu.Lock()
			defer s.mu.Unlock()
			if done {
				s.report.Inflicted[f.Kind]++
			} else {
				s.report.Left++
			}
			if err != nil {
				return fmt.Errorf("inflicting %q: %w", f.Kind, err)
			}
			return nil
		})
	}
	// If it fails, the group has the better error.
	_ = s.wait(together, time.Until(began.Add(s.Duration)))
	close(s.over)
	return errors.Join(group.Wait(), context.Cause(ctx))
}

// plan returns the faults to inject. A manager that is to freeze is not killed, because that would excuse its delays.
func (s *soak) plan() []Fault {
	return slices.DeleteFunc(Plan(s.Seed, s.Shape, s.Duration, s.Every), func(f Fault) bool { return s.frozen > 0 && f.Kind == Kill })
}

// settle waits until no machine needs anything any more. A timeout is no error, because the ledger shows it.
func (s *soak) settle(ctx context.Context, most time.Duration) error {
	return poll(ctx, most, func(context.Context) error {
		if left := s.ledger.unsettled(); len(left) > 0 {
			return fmt.Errorf("%d machines are left", len(left))
		}
		return nil
	})
}

// poll repeats a check until it returns nil, or for a time. A timeout is no error.
func poll(ctx context.Context, most time.Duration, check func(context.Context) error) error {
	waiting, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	if err := world.Poll(waiting, check); ctx.Err() != nil {
		return err
	}
	return nil
}

func (s *soak) cluster(n int) client.ObjectKey { return s.fleet.Machines[n*s.Shape.Machines].Cluster }
