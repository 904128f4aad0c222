package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
)

// failover kills the leader again and again. Its standby gets a standby of its own, and is
// killed next.
func (s *stand) failover(ctx context.Context, who result.Subject) error {
	ctx, cancel := context.WithTimeout(ctx, s.patience())
	defer cancel()
	elect := []string{"--leader-elect", "--leader-elect-namespace=default"}
	leader, err := s.runner.Start(ctx, who, elect...)
	if err != nil {
		return err
	}
	defer func() { _ = leader.Kill() }()
	if _, err := s.lead(ctx); err != nil {
		return err
	}
	for range s.plan.Rounds {
		standby, err := s.runner.Start(ctx, who, elect...)
		if err != nil {
			return err
		}
		took, err := s.succeed(ctx, leader)
		leader = standby
		if err != nil {
			return err
		}
		s.take(result.Failover, who, took.Seconds())
	}
	return nil
}

// succeed kills the leader, and returns how long it took until the standby acted.
func (s *stand) succeed(ctx context.Context, leader *subject.Process) (time.Duration, error) {
	if err := leader.Kill(); err != nil {
		return 0, err
	}
	killed := time.Now()
	acted, err := s.lead(ctx)
	return acted.Sub(killed), err
}

// lead waits until a process acts on an overdue machine, and returns when it did.
func (s *stand) lead(ctx context.Context) (time.Time, error) {
	machines := s.some(1)
	if err := s.fleet.Sicken(ctx, machines[0], time.Now().Add(-time.Hour).Truncate(time.Second)); err != nil {
		return time.Time{}, err
	}
	times, err := s.observer.Times(ctx, machines, fleet.Owned)
	if err != nil {
		return time.Time{}, fmt.Errorf("waiting for a leader: %w", err)
	}
	return times[0], s.recover(ctx, machines)
}
