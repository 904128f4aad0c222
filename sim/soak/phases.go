package soak

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

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
	waiting, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	err := world.Poll(waiting, func(context.Context) error {
		if left := s.ledger.unsettled(); len(left) > 0 {
			return fmt.Errorf("%d machines are left", len(left))
		}
		return nil
	})
	if ctx.Err() != nil {
		return err
	}
	return nil
}

// beat sends heartbeats for Nodes, one after the other.
func (s *soak) beat(ctx context.Context) error {
	ticker := time.NewTicker(time.Second / time.Duration(s.Beats))
	defer ticker.Stop()
	for {
		for _, m := range s.roster.all() {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return nil
			}
			// It may have been deleted just now.
			if err := client.IgnoreNotFound(s.fleet.Beat(ctx, m)); err != nil {
				return err
			}
		}
	}
}

// watchUse takes samples of the manager.
func (s *soak) watchUse(ctx context.Context, began time.Time) error {
	ticker := time.NewTicker(min(sampleEvery, s.Duration/samplesLeast))
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
		sample, ok, err := s.manager.sample(ctx, began)
		if err != nil {
			return err
		}
		if ok {
			s.report.Samples = append(s.report.Samples, sample)
		}
	}
}

func (s *soak) cluster(n int) client.ObjectKey { return s.fleet.Machines[n*s.Shape.Machines].Cluster }
