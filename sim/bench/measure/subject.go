package measure

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
)

// step takes some of the figures of a running subject.
type step func(context.Context, *subject.Process) error

// subject takes all figures of one subject. Its marks may remain on machines afterwards.
func (s *stand) subject(ctx context.Context, who result.Subject) error {
	s.log.Info("Measuring", "subject", who)
	p, err := s.first(ctx, who)
	if err != nil {
		return err
	}
	defer func() { _ = p.Kill() }()
	for _, do := range s.steps(who) {
		bounded, cancel := context.WithTimeout(ctx, s.patience())
		err := do(bounded, p)
		cancel()
		if err != nil {
			return err
		}
	}
	// Kill it, because it would immediately rewrite what is removed later.
	return p.Kill()
}

// steps returns what to measure, in order. Each step leaves the subject running.
func (s *stand) steps(who result.Subject) []step {
	plan, shape := s.plan, s.fleet.Shape
	var steps []step
	add := func(so bool, times int, do step) {
		if so {
			steps = append(steps, slices.Repeat([]step{do}, times)...)
		}
	}
	starts := plan.starts(shape)
	add(plan.does(partRest), plan.Rounds, s.rest)
	if who == result.Floor {
		add(true, starts, s.floorStart)
		add(starts > 0 && !s.fleet.Judged(), 1, s.floorVerdicts)
		add(plan.does(partStorm), plan.Rounds, s.floorStorm)
		return steps
	}
	add(plan.does(partAlone) || plan.does(partStorm), plan.Rounds, s.sickness)
	add(true, starts, s.absence)
	add(plan.does(partReads) && who == result.Sickbay, 1, s.reads)
	for _, clusters := range plan.hangs(who, shape) {
		add(true, silences(who), func(ctx context.Context, p *subject.Process) error { return s.hang(ctx, p, clusters) })
	}
	add(plan.Thorough && plan.does(partOutage) && who == result.Sickbay && shape == result.Large, 1, s.outage)
	return steps
}

// first starts a subject that does not know the fleet yet, and waits until it has judged all of it.
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
	resident, err := subject.Resident(p.PID())
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
