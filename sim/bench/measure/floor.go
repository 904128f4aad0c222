package measure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
)

// floor measures what no subject can avoid, besides decoding heartbeats: reading the fleet, and making the API server
// store the writes of a storm.
func (s *stand) floor(ctx context.Context, p *subject.Process) error {
	ctx, cancel := context.WithTimeout(ctx, s.patience())
	defer cancel()
	for range s.plan.starts(p.Subject, s.fleet.Shape) {
		if err := p.Kill(); err != nil {
			return err
		}
		// It is ready once it has read everything.
		again, err := s.runner.Start(ctx, p.Subject)
		if err != nil {
			return err
		}
		*p = *again
		s.take(result.Start, p.Subject, p.Ready.Sub(p.Started).Seconds())
	}
	if s.plan.starts(p.Subject, s.fleet.Shape) > 0 {
		if err := s.sayAll(ctx); err != nil {
			return err
		}
	}
	if !s.plan.does(Storm) {
		return nil
	}
	for range s.plan.Rounds {
		if err := s.say(ctx, s.stormy()); err != nil {
			return err
		}
	}
	return nil
}

// sayAll writes a verdict to each machine, as a first start does.
func (s *stand) sayAll(ctx context.Context) error {
	if s.fleet.Judged() {
		return nil
	}
	if err := fleet.Each(ctx, s.fleet.Machines, s.fleet.Forget); err != nil {
		return err
	}
	begun := time.Now()
	err := fleet.Each(ctx, s.fleet.Machines, func(ctx context.Context, m fleet.Machine) error { return s.fleet.Say(ctx, m, fleet.Healthy) })
	if err != nil {
		return fmt.Errorf("writing verdicts as fast as the API server takes them: %w", err)
	}
	s.take(result.FirstStart, result.Floor, time.Since(begun).Seconds())
	return nil
}

// say writes verdicts, records and marks as fast as the API server takes them, and removes them again.
func (s *stand) say(ctx context.Context, machines []fleet.Machine) error {
	records, err := s.fleet.Records(ctx, machines)
	if err != nil {
		return err
	}
	begun := time.Now()
	err = fleet.Each(ctx, machines, func(ctx context.Context, m fleet.Machine) error { return s.fleet.Say(ctx, m, fleet.Sick) })
	if err != nil {
		return fmt.Errorf("writing as fast as the API server takes it: %w", err)
	}
	s.take(result.StormVerdict, result.Floor, time.Since(begun).Seconds())
	err = fleet.Each(ctx, machines, func(ctx context.Context, m fleet.Machine) error {
		if err := s.fleet.World.Client().Create(ctx, records[m]); err != nil {
			return err
		}
		return s.fleet.Mark(ctx, m)
	})
	if err != nil {
		return fmt.Errorf("writing as fast as the API server takes it: %w", err)
	}
	s.take(result.StormMark, result.Floor, time.Since(begun).Seconds())
	return fleet.Each(ctx, machines, func(ctx context.Context, m fleet.Machine) error {
		return errors.Join(s.fleet.DeleteRecord(ctx, records[m]), s.fleet.Forget(ctx, m))
	})
}
