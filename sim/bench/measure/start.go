package measure

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

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
	if err := s.again(ctx, p); err != nil {
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

// restart stops a subject, starts it again with more arguments, and waits until it has looked at everything.
func (s *stand) restart(ctx context.Context, p *subject.Process, args ...string) error {
	if err := p.Stop(); err != nil {
		return err
	}
	if err := s.again(ctx, p, args...); err != nil {
		return err
	}
	return s.settle(ctx, p)
}

// again starts a subject that has ended.
func (s *stand) again(ctx context.Context, p *subject.Process, args ...string) error {
	started, err := s.runner.Start(ctx, p.Subject, args...)
	if err != nil {
		return err
	}
	*p = *started
	return nil
}

// absent is how many machines fall sick before a metered start, because their repairs request more than what is watched.
const absent = 10

// reads counts what a start requests and reads, and compares it with one list of everything watched.
func (s *stand) reads(ctx context.Context, p *subject.Process) (err error) {
	m, err := startMeter(s.fleet.World.Config())
	if err != nil {
		return err
	}
	// Stop the meter only when nobody uses it any more: p is started again without it.
	defer func() { err = errors.Join(err, m.server.Close()) }()
	kubeconfig := filepath.Join(s.dir, "metered")
	if err := m.writeKubeconfig(kubeconfig); err != nil {
		return err
	}
	if err := p.Stop(); err != nil {
		return err
	}
	machines := s.some(min(absent, s.fleet.Shape.Size()))
	if err := s.overdue(ctx, machines); err != nil {
		return err
	}
	if err := s.restart(ctx, p, "--kubeconfig="+kubeconfig); err != nil {
		return err
	}
	if _, _, err := s.times(ctx, machines); err != nil {
		return fmt.Errorf("waiting for marks after the start: %w", err)
	}
	if _, err := s.quiet(ctx, p); err != nil {
		return err
	}
	requests, bytes, watched := m.read()
	least, err := m.list(ctx, watched)
	if err != nil {
		return err
	}
	s.take(result.ReadRequests, p.Subject, float64(requests))
	s.take(result.ReadBytes, p.Subject, float64(bytes))
	s.take(result.ReadBytes, result.Floor, float64(least))
	if err := s.restart(ctx, p); err != nil {
		return err
	}
	return s.recoverFor(ctx, p, machines)
}
