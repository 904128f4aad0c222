package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
)

// subject takes all figures of one subject. Its marks may remain on machines afterwards.
func (s *stand) subject(ctx context.Context, who result.Subject) error {
	s.log.Info("Measuring", "subject", who)
	p, err := s.first(ctx, who)
	if err != nil {
		return err
	}
	defer func() { _ = p.Kill() }()
	if s.plan.does(Rest) {
		for range s.plan.Rounds {
			if err := s.rest(ctx, p); err != nil {
				return err
			}
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
	// Kill it, because it would immediately rewrite what is removed later.
	return p.Kill()
}

// sicknesses takes the figures that need sick machines.
func (s *stand) sicknesses(ctx context.Context, p *subject.Process) error {
	if s.plan.does(Alone) || s.plan.does(Storm) {
		for range s.plan.Rounds {
			if err := s.sickness(ctx, p); err != nil {
				return err
			}
		}
	}
	for range s.plan.starts(p.Subject, s.fleet.Shape) {
		if err := s.absence(ctx, p); err != nil {
			return err
		}
	}
	if s.plan.meters(p.Subject, s.fleet.Shape) {
		if err := s.reads(ctx, p); err != nil {
			return err
		}
	}
	if err := s.silences(ctx, p); err != nil {
		return err
	}
	if s.plan.failsOver(p.Subject, s.fleet.Shape) {
		if err := p.Stop(); err != nil {
			return err
		}
		return s.failover(ctx, p.Subject)
	}
	return nil
}

// silences takes the figures that need hanging clusters.
func (s *stand) silences(ctx context.Context, p *subject.Process) error {
	for _, clusters := range s.plan.hangs(p.Subject, s.fleet.Shape) {
		if err := s.hang(ctx, p, clusters); err != nil {
			return err
		}
	}
	if s.plan.silences(p.Subject, s.fleet.Shape) {
		return s.outage(ctx, p)
	}
	return nil
}

// first starts a subject that does not know the fleet yet, and waits until it has judged all of
// it.
func (s *stand) first(ctx context.Context, who result.Subject) (*subject.Process, error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience())
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
		if !s.fleet.Judged() {
			s.take(result.FirstStart, who, latest(times).Sub(p.Started).Seconds())
		}
	}
	if err := s.settle(ctx, p); err != nil {
		return nil, err
	}
	resident, err := p.Resident()
	if err != nil {
		return nil, err
	}
	s.take(result.Memory, who, resident*1000/float64(s.fleet.Shape.Size()))
	return p, s.around(ctx, who)
}

// around measures what the fleet costs the API server and etcd.
func (s *stand) around(ctx context.Context, who result.Subject) error {
	ids, err := s.fleet.World.PIDs()
	if err != nil {
		return err
	}
	for binary, m := range map[string]result.Measure{"kube-apiserver": result.ServerMemory, "etcd": result.StoreMemory} {
		bytes, err := subject.Resident(ids[binary])
		if err != nil {
			return err
		}
		s.take(m, who, bytes)
	}
	stored, err := s.fleet.Stored(ctx)
	s.take(result.StoreBytes, who, float64(stored))
	return err
}

// settle waits until a process does almost nothing for some seconds.
func (s *stand) settle(ctx context.Context, p *subject.Process) error {
	// The process probes each cluster again and again.
	const window, perCluster = 5 * time.Second, 2 * time.Millisecond
	quiet := 250*time.Millisecond + time.Duration(s.fleet.Shape.Clusters)*perCluster
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

// pause waits for d.
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
