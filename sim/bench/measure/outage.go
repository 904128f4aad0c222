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

// grace makes unreadable machines Unknown soon, instead of after five minutes.
const grace = "--remote-conditions-grace-period=10s"

// outage makes the largest cluster hang until nothing is left to report about its machines, and then for a minute.
func (s *stand) outage(ctx context.Context, p *subject.Process) error {
	ctx, cancel := context.WithTimeout(ctx, s.patience())
	defer cancel()
	if err := s.restart(ctx, p, s.runner, grace); err != nil {
		return err
	}
	machines := s.fleet.Machines[len(s.fleet.Machines)-s.fleet.Shape.Largest():]
	end, err := s.silence(machines)
	if err != nil {
		return err
	}
	err = s.silentMinute(ctx, p, machines)
	if err = errors.Join(err, end()); err != nil {
		return err
	}
	if _, err := s.observer.Times(ctx, machines, fleet.Healthy); err != nil {
		return fmt.Errorf("waiting for machines to be called healthy after the silence: %w", err)
	}
	return nil
}

func (s *stand) silentMinute(ctx context.Context, p *subject.Process, machines []fleet.Machine) error {
	s.log.Info("Waiting until all machines are Unknown", "silent", len(machines))
	if _, err := s.observer.Times(ctx, machines, fleet.Unknown); err != nil {
		return fmt.Errorf("waiting for machines to be Unknown: %w", err)
	}
	if _, err := s.quiet(ctx, p); err != nil {
		return err
	}
	used, err := s.used(ctx, p, func(ctx context.Context) error { return pause(ctx, time.Minute) })
	if err != nil {
		return err
	}
	s.take(result.OutageCPU, p.Subject, used.CPU.Seconds())
	s.take(result.OutageWrites, p.Subject, used.Writes()+used.Events)
	return nil
}

// restart stops a subject, starts it again with more arguments, and waits until it has looked at everything.
func (s *stand) restart(ctx context.Context, p *subject.Process, runner *subject.Runner, args ...string) error {
	if err := p.Stop(); err != nil {
		return err
	}
	again, err := runner.Start(ctx, p.Subject, args...)
	if err != nil {
		return err
	}
	*p = *again
	return s.settle(ctx, p)
}
