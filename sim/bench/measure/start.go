package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
)

// absence is a round in which machines fall sick while the subject is not running.
func (s *stand) absence(ctx context.Context, p *subject.Process) error {
	if err := p.Stop(); err != nil {
		return err
	}
	machines := s.some(s.fleet.Shape.Size() / absentShare)
	if err := s.overdue(ctx, machines); err != nil {
		return err
	}
	if err := again(ctx, p, s.runner); err != nil {
		return err
	}
	times, err := s.observer.Times(ctx, machines, fleet.Sick)
	if err != nil {
		return fmt.Errorf("waiting for verdicts after the start: %w", err)
	}
	s.take(result.Start, p.Subject, latest(times).Sub(p.Started).Seconds())
	if _, err := s.observer.Times(ctx, machines, fleet.Owned); err != nil {
		return fmt.Errorf("waiting for marks after the start: %w", err)
	}
	return s.recover(ctx, machines)
}

// failover stops a subject, starts it with leader election, and kills the leader again and again. Its standby gets a standby of its
// own, and is killed next.
func (s *stand) failover(ctx context.Context, p *subject.Process) error {
	if err := p.Stop(); err != nil {
		return err
	}
	elect := []string{"--leader-elect", "--leader-elect-namespace=default"}
	leader, err := s.runner.Start(ctx, p.Subject, elect...)
	if err != nil {
		return err
	}
	defer func() { _ = leader.Kill() }()
	if _, err := s.lead(ctx); err != nil {
		return err
	}
	for range s.plan.Rounds {
		standby, err := s.runner.Start(ctx, p.Subject, elect...)
		if err != nil {
			return err
		}
		took, err := s.succeed(ctx, leader)
		leader = standby
		if err != nil {
			return err
		}
		s.take(result.Failover, p.Subject, took.Seconds())
	}
	return nil
}

// succeed kills the leader, and returns how long it took until the standby acted.
func (s *stand) succeed(ctx context.Context, leader *subject.Process) (time.Duration, error) {
	if err := leader.Kill(); err != nil {
		return 0, err
	}
	killed := time.Now()
	at, err := s.lead(ctx)
	return at.Sub(killed), err
}

// lead waits until a process acts on an overdue machine, and returns when it did.
func (s *stand) lead(ctx context.Context) (time.Time, error) {
	machines := s.some(1)
	if err := s.overdue(ctx, machines); err != nil {
		return time.Time{}, err
	}
	times, err := s.observer.Times(ctx, machines, fleet.Owned)
	if err != nil {
		return time.Time{}, fmt.Errorf("waiting for a leader: %w", err)
	}
	return times[0], s.recover(ctx, machines)
}

// restart stops a subject, starts it again with more arguments, and waits until it has looked at everything.
func (s *stand) restart(ctx context.Context, p *subject.Process, runner *subject.Runner, args ...string) error {
	if err := p.Stop(); err != nil {
		return err
	}
	if err := again(ctx, p, runner, args...); err != nil {
		return err
	}
	return s.settle(ctx, p)
}

// again starts a subject that has ended.
func again(ctx context.Context, p *subject.Process, runner *subject.Runner, args ...string) error {
	started, err := runner.Start(ctx, p.Subject, args...)
	if err != nil {
		return err
	}
	*p = *started
	return nil
}
