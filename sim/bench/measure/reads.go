package measure

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/meter"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
)

// absent is how many machines fall sick before a metered start, because their repairs request more than what is watched.
const absent = 10

// reads counts what a start requests and reads, and compares it with one list of everything watched.
func (s *stand) reads(ctx context.Context, p *subject.Process) (err error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience())
	defer cancel()
	m, err := meter.Start(s.fleet.World.Config())
	if err != nil {
		return err
	}
	// Stop the meter only when nobody uses it any more: p is started again without it.
	defer func() { err = errors.Join(err, m.Stop()) }()
	kubeconfig := filepath.Join(s.dir, "metered")
	if err := m.WriteKubeconfig(kubeconfig); err != nil {
		return err
	}
	if err := p.Stop(); err != nil {
		return err
	}
	machines := s.some(min(absent, s.fleet.Shape.Size()))
	since := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := fleet.Each(ctx, machines, func(ctx context.Context, m fleet.Machine) error { return s.fleet.Sicken(ctx, m, since) }); err != nil {
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

func (s *stand) takeReads(ctx context.Context, who result.Subject, m *meter.Meter) error {
	read := m.Read()
	s.take(result.ReadRequests, who, float64(read.Requests))
	s.take(result.ReadBytes, who, float64(read.Bytes))
	least, err := m.List(ctx, m.Watched())
	if err != nil {
		return fmt.Errorf("reading once what is watched: %w", err)
	}
	s.take(result.ReadRequests, result.Floor, float64(least.Requests))
	s.take(result.ReadBytes, result.Floor, float64(least.Bytes))
	return nil
}
