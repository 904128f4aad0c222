package measure

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
)

// absent is how many machines fall sick before a metered start, because their repairs request more than what is watched.
const absent = 10

// reads counts what a start requests and reads, and compares it with one list of everything watched.
func (s *stand) reads(ctx context.Context, p *subject.Process) (err error) {
	m, err := startMeter(s.fleet.World.Config())
	if err != nil {
		return err
	}
	// Stop the meter only when nobody uses it any more: p is started again without it.
	defer func() { err = errors.Join(err, m.stop()) }()
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
	if err := s.restart(ctx, p, s.runner.By(kubeconfig)); err != nil {
		return err
	}
	if _, _, err := s.times(ctx, machines); err != nil {
		return fmt.Errorf("waiting for marks after the start: %w", err)
	}
	if _, err := s.quiet(ctx, p); err != nil {
		return err
	}
	if err := s.takeReads(ctx, p.Subject, m); err != nil {
		return err
	}
	if err := s.restart(ctx, p, s.runner); err != nil {
		return err
	}
	return s.recoverFor(ctx, p, machines)
}

func (s *stand) takeReads(ctx context.Context, who result.Subject, m *meter) error {
	read, watched := m.read()
	least, err := m.list(ctx, watched)
	if err != nil {
		return fmt.Errorf("reading once what is watched: %w", err)
	}
	for who, r := range map[result.Subject]reading{who: read, result.Floor: least} {
		s.take(result.ReadRequests, who, float64(r.requests))
		s.take(result.ReadBytes, who, float64(r.bytes))
	}
	return nil
}
