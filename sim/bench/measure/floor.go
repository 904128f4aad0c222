package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
)

// floorStart reads the fleet, which no start can avoid.
func (s *stand) floorStart(ctx context.Context, p *subject.Process) error {
	if err := p.Kill(); err != nil {
		return err
	}
	if err := again(ctx, p, s.runner); err != nil {
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

// floorStorm writes the verdicts, records and marks of a storm as fast as the API server takes them, and removes them again.
func (s *stand) floorStorm(ctx context.Context, p *subject.Process) error {
	machines := s.stormy()
	if err := s.floorFirst(ctx, p, machines[:min(firstMarks, len(machines))]); err != nil {
		return err
	}
	records, err := s.fleet.Records(ctx, machines)
	if err != nil {
		return err
	}
	begun := time.Now()
	if err := s.say(ctx, machines, fleet.Sick); err != nil {
		return err
	}
	s.take(result.StormVerdict, p.Subject, time.Since(begun).Seconds())
	err = fleet.Each(ctx, machines, func(ctx context.Context, m fleet.Machine) error { return s.repair(ctx, m, records[m]) })
	if err != nil {
		return fmt.Errorf("writing as fast as the API server takes it: %w", err)
	}
	s.take(result.StormMark, p.Subject, time.Since(begun).Seconds())
	return s.clean(ctx, machines, records)
}

// floorFirst measures how soon the first marks of a storm can come: it writes everything for those machines, and nothing for the others.
func (s *stand) floorFirst(ctx context.Context, p *subject.Process, machines []fleet.Machine) error {
	records, err := s.fleet.Records(ctx, machines)
	if err != nil {
		return err
	}
	begun, took := time.Now(), make(chan float64, len(machines))
	err = fleet.Each(ctx, machines, func(ctx context.Context, m fleet.Machine) error {
		if err := s.fleet.Say(ctx, m, fleet.Sick); err != nil {
			return err
		}
		err := s.repair(ctx, m, records[m])
		took <- time.Since(begun).Seconds()
		return err
	})
	if err != nil {
		return fmt.Errorf("writing the first marks as fast as the API server takes them: %w", err)
	}
	close(took)
	var all []float64
	for one := range took {
		all = append(all, one)
	}
	slices.Sort(all)
	s.take(result.StormFirst, p.Subject, percentile(all, 99))
	return s.clean(ctx, machines, records)
}

// repair writes the record and the mark of a machine.
func (s *stand) repair(ctx context.Context, m fleet.Machine, record *v1alpha1.MachineRemediation) error {
	if err := s.fleet.World.Client().Create(ctx, record); err != nil {
		return fmt.Errorf("creating record %s: %w", record.Name, err)
	}
	return s.fleet.Mark(ctx, m)
}

// clean removes what was written to some machines, and their records.
func (s *stand) clean(ctx context.Context, machines []fleet.Machine, records map[fleet.Machine]*v1alpha1.MachineRemediation) error {
	return fleet.Each(ctx, machines, func(ctx context.Context, m fleet.Machine) error {
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
