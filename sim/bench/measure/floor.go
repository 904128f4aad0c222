package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
)

// floor takes what nobody can do without, beyond decoding heartbeats: reading the fleet, and having the API server store
// what there is to say in a storm.
func (s *stand) floor(ctx context.Context, p *subject.Process) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for range s.plan.starts(p.Subject, s.fleet.Shape) {
		if err := p.Kill(); err != nil {
			return err
		}
		// It is ready once it has read everything.
		again, err := s.runner.Start(ctx, p.Subject)
		if err != nil {
			return err
		}
		*p = *again
		s.take(result.Start, p.Subject, p.Ready.Sub(p.Started).Seconds())
	}
	for range s.plan.Rounds {
		if err := s.say(ctx, s.some(s.fleet.Shape.Size()/stormShare)); err != nil {
			return err
		}
	}
	return nil
}

// say writes verdicts and marks on machines as fast as the API server takes them, and takes them away again.
func (s *stand) say(ctx context.Context, machines []fleet.Machine) error {
	begun := time.Now()
	if err := s.sayAll(ctx, machines, fleet.Sick); err != nil {
		return err
	}
	s.take(result.StormVerdict, result.Floor, time.Since(begun).Seconds())
	if err := s.sayAll(ctx, machines, fleet.Owned); err != nil {
		return err
	}
	s.take(result.StormMark, result.Floor, time.Since(begun).Seconds())
	return fleet.Each(ctx, machines, s.fleet.Forget)
}

func (s *stand) sayAll(ctx context.Context, machines []fleet.Machine, mark fleet.Mark) error {
	err := fleet.Each(ctx, machines, func(ctx context.Context, m fleet.Machine) error { return s.fleet.Say(ctx, m, mark) })
	if err != nil {
		return fmt.Errorf("writing as fast as the API server takes it: %w", err)
	}
	return nil
}
