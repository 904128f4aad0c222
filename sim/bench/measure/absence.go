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
	ctx, cancel := context.WithTimeout(ctx, s.patience())
	defer cancel()
	if err := p.Stop(); err != nil {
		return err
	}
	machines := s.some(s.fleet.Shape.Size() / absentShare)
	since := time.Now().Add(-time.Hour).Truncate(time.Second)
	err := fleet.Each(ctx, machines, func(ctx context.Context, m fleet.Machine) error { return s.fleet.Sicken(ctx, m, since) })
	if err != nil {
		return err
	}
	again, err := s.runner.Start(ctx, p.Subject)
	if err != nil {
		return err
	}
	*p = *again
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
