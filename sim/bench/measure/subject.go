package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
)

// subject takes all figures of one subject.
func (s *stand) subject(ctx context.Context, who result.Subject) error {
	s.log.Info("Measuring", "subject", who)
	p, err := s.first(ctx, who)
	if err != nil {
		return err
	}
	defer func() { _ = p.Kill() }()
	for range s.plan.Rounds {
		if err := s.rest(ctx, p); err != nil {
			return err
		}
	}
	if err := s.profile(ctx, p); err != nil {
		return err
	}
	if who == result.Floor {
		return s.floor(ctx, p)
	}
	if err := s.sicknesses(ctx, p); err != nil {
		return err
	}
	// It would write at once again what is taken away here.
	if err := p.Kill(); err != nil {
		return err
	}
	return fleet.Each(ctx, s.fleet.Machines, s.fleet.Forget)
}

// sicknesses takes the figures for which machines have to fall sick.
func (s *stand) sicknesses(ctx context.Context, p *subject.Process) error {
	for range s.plan.Rounds {
		if err := s.sickness(ctx, p); err != nil {
			return err
		}
	}
	for range s.plan.starts(p.Subject, s.fleet.Shape) {
		if err := s.absence(ctx, p); err != nil {
			return err
		}
	}
	if s.fleet.Shape.Clusters > 1 {
		if err := s.hang(ctx, p); err != nil {
			return err
		}
	}
	if s.plan.failsOver(p.Subject, s.fleet.Shape) {
		if err := p.Stop(); err != nil {
			return err
		}
		return s.failover(ctx, p.Subject)
	}
	return nil
}

// first starts a subject that knows the fleet not yet, and waits until it has judged all of it.
func (s *stand) first(ctx context.Context, who result.Subject) (*subject.Process, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	p, err := s.runner.Start(ctx, who)
	if err != nil {
		return nil, err
	}
	if who != result.Floor {
		times, err := s.observer.Times(ctx, s.fleet.Machines, fleet.Healthy)
		if err != nil {
			return nil, fmt.Errorf("waiting for the first verdicts: %w", err)
		}
		s.take(result.FirstStart, who, latest(times).Sub(p.Started).Seconds())
	}
	if err := s.settle(ctx, p); err != nil {
		return nil, err
	}
	resident, err := p.Resident()
	if err != nil {
		return nil, err
	}
	s.take(result.Memory, who, resident*1000/float64(s.fleet.Shape.Size()))
	return p, nil
}

// settle waits until a process does next to nothing for some seconds.
func (s *stand) settle(ctx context.Context, p *subject.Process) error {
	const window, quiet = 5 * time.Second, 250 * time.Millisecond
	before, err := p.Usage(ctx)
	if err != nil {
		return err
	}
	for {
		if err := pause(ctx, window); err != nil {
			return fmt.Errorf("waiting for %s to settle: %w", p.Subject, err)
		}
		now, err := p.Usage(ctx)
		if err != nil {
			return err
		}
		if now.Since(before).CPU < quiet && now.Since(before).Writes() == 0 {
			return nil
		}
		before = now
	}
}

// pause waits.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func latest(times []time.Time) time.Time {
	var last time.Time
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	return last
}
