package measure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
)

// floorStart reads the fleet, which no start can avoid.
func (s *stand) floorStart(ctx context.Context, p *subject.Process) error {
	if err := p.Kill(); err != nil {
		return err
	}
	if err := s.again(ctx, p); err != nil {
		return err
	}
	// It is ready once it has read everything.
	s.take(result.Start, p.Subject, p.Ready.Sub(p.Started).Seconds())
	return nil
}

// floorVerdicts writes a verdict to each machine, as a first start does.
func (s *stand) floorVerdicts(ctx context.Context, p *subject.Process) error {
	if err := fleet.Each(ctx, s.fleet.Machines, s.fleet.Forget); err != nil {
		return err
	}
	begun := time.Now()
	if err := s.say(ctx, s.fleet.Machines, fleet.Healthy); err != nil {
		return err
	}
	s.take(result.FirstStart, p.Subject, time.Since(begun).Seconds())
	return nil
}

// floorStorm writes what a storm needs: for its first machines alone, because the first marks need no more, and then for all of them.
func (s *stand) floorStorm(ctx context.Context, p *subject.Process) error {
	machines := s.stormy()
	_, marked, err := s.floorWrites(ctx, machines[:min(firstMarks, len(machines))])
	if err != nil {
		return err
	}
	s.take(result.StormFirst, p.Subject, marked.Seconds())
	judged, marked, err := s.floorWrites(ctx, machines)
	if err != nil {
		return err
	}
	s.take(result.StormVerdict, p.Subject, judged.Seconds())
	s.take(result.StormMark, p.Subject, marked.Seconds())
	return nil
}

// floorWrites writes verdicts, records and marks as fast as the API server takes them, and removes them again. It returns when the last verdict
// and the last mark were written.
func (s *stand) floorWrites(ctx context.Context, machines []fleet.Machine) (judged, marked time.Duration, err error) {
	records, err := s.fleet.Records(ctx, machines)
	if err != nil {
		return 0, 0, err
	}
	begun := time.Now()
	if err := s.say(ctx, machines, fleet.Sick); err != nil {
		return 0, 0, err
	}
	judged = time.Since(begun)
	err = fleet.Each(ctx, machines, func(ctx context.Context, m fleet.Machine) error {
		if err := s.fleet.World.Client().Create(ctx, records[m]); err != nil {
			return fmt.Errorf("creating record %s: %w", records[m].Name, err)
		}
		return s.fleet.Mark(ctx, m)
	})
	if err != nil {
		return 0, 0, fmt.Errorf("writing as fast as the API server takes it: %w", err)
	}
	marked = time.Since(begun)
	return judged, marked, fleet.Each(ctx, machines, func(ctx context.Context, m fleet.Machine) error {
		return errors.Join(s.fleet.DeleteRecord(ctx, records[m]), s.fleet.Forget(ctx, m))
	})
}

func (s *stand) say(ctx context.Context, machines []fleet.Machine, mark fleet.Mark) error {
	err := fleet.Each(ctx, machines, func(ctx context.Context, m fleet.Machine) error { return s.fleet.Say(ctx, m, mark) })
	if err != nil {
		return fmt.Errorf("writing verdicts as fast as the API server takes them: %w", err)
	}
	return nil
}
