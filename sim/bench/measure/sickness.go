package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
)

// sickness is a round in which machines fall sick one by one, and then a tenth of the fleet at once.
func (s *stand) sickness(ctx context.Context, p *subject.Process) error {
	if s.plan.does(partAlone) {
		machines := s.some(s.plan.Alone * s.plan.PerSecond)
		if err := s.alone(ctx, p, machines); err != nil {
			return fmt.Errorf("having machines fall sick one by one: %w", err)
		}
		if err := s.recoverFor(ctx, p, machines); err != nil {
			return err
		}
	}
	if s.plan.does(partStorm) {
		machines := s.stormy()
		if err := s.storm(ctx, p, machines); err != nil {
			return fmt.Errorf("having machines fall sick at once: %w", err)
		}
		return s.recoverFor(ctx, p, machines)
	}
	return nil
}

// recoverFor restores machines. The end of one remedy must not count for the next one.
func (s *stand) recoverFor(ctx context.Context, p *subject.Process, machines []fleet.Machine) error {
	if err := s.recover(ctx, machines); err != nil {
		return err
	}
	_, err := s.quiet(ctx, p)
	return err
}

// alone makes some machines sick in each second. All of them fall sick before the first deadline, so that writes before
// and after it can be counted separately.
func (s *stand) alone(ctx context.Context, p *subject.Process, machines []fleet.Machine) error {
	calm, err := s.used(ctx, p, func(ctx context.Context) error { return pause(ctx, probePeriod) })
	if err != nil {
		return err
	}
	well, err := p.Usage(ctx)
	if err != nil {
		return err
	}
	deadlines, err := s.fallSick(ctx, machines)
	if err != nil {
		return err
	}
	// The first deadline is a second after the last machine fell sick.
	if err := pause(ctx, time.Until(deadlines[0])-margin); err != nil {
		return err
	}
	begun := time.Now()
	ailing, err := p.Usage(ctx)
	if err != nil {
		return err
	}
	if late := time.Since(deadlines[0]); late > 0 {
		s.log.Warn("The counters were read after the first deadline: some writes of remedies count as those of the onset", "late", late)
	}
	verdicts, marks, err := s.times(ctx, machines)
	if err != nil {
		return err
	}
	s.takeDelays(p.Subject, "verdict", verdicts, deadlines)
	s.takeDelays(p.Subject, "mark", marks, deadlines)
	treated, err := s.quiet(ctx, p)
	if err != nil {
		return err
	}
	s.takeDelays(p.Subject, "handover", marks, verdicts)
	n, used := float64(len(machines)), treated.Since(ailing).Without(calm, time.Since(begun).Seconds()/probePeriod.Seconds())
	s.take(result.OnsetWrites, p.Subject, ailing.Since(well).Writes()/n)
	s.take(result.RemedyWrites, p.Subject, used.Writes()/n)
	s.take(result.RemedyEvents, p.Subject, used.Events/n)
	s.take(result.RemedyRequests, p.Subject, s.takeRequests("remedy", p.Subject, used, 1/n))
	return nil
}

// sicken makes machines sick since a moment.
func (s *stand) sicken(ctx context.Context, machines []fleet.Machine, since time.Time) error {
	return fleet.Each(ctx, machines, func(ctx context.Context, m fleet.Machine) error { return s.fleet.Sicken(ctx, m, since) })
}

// overdue makes machines sick whose deadlines have passed long ago.
func (s *stand) overdue(ctx context.Context, machines []fleet.Machine) error {
	return s.sicken(ctx, machines, time.Now().Add(-time.Hour).Truncate(time.Second))
}

// fallSick makes some machines sick in each second, and returns their deadlines.
func (s *stand) fallSick(ctx context.Context, machines []fleet.Machine) ([]time.Time, error) {
	deadlines := make([]time.Time, len(machines))
	for i, m := range machines {
		if i%s.plan.PerSecond == 0 {
			// Timestamps in the API have whole seconds.
			if err := pause(ctx, time.Until(time.Now().Truncate(time.Second).Add(time.Second))); err != nil {
				return nil, err
			}
		}
		since := time.Now().Truncate(time.Second)
		deadlines[i] = since.Add(s.fleet.NodeTimeout())
		if err := s.fleet.Sicken(ctx, m, since); err != nil {
			return nil, err
		}
	}
	return deadlines, nil
}

// probePeriod is the period in which each workload cluster is probed as often: what is sent then, no remedy has caused.
const probePeriod = 15 * time.Second

// margin is how long before the first deadline the counters are read: half of the second since the last machine fell sick. On a busy computer,
// reading them takes more than 100 ms.
const margin = 500 * time.Millisecond

func (s *stand) times(ctx context.Context, machines []fleet.Machine) (verdicts, marks []time.Time, err error) {
	if verdicts, err = s.observer.Times(ctx, machines, fleet.Sick); err != nil {
		return nil, nil, err
	}
	marks, err = s.observer.Times(ctx, machines, fleet.Owned)
	return verdicts, marks, err
}

// quiet waits until a process has written nothing for a second, because a status or an event may follow the mark.
func (s *stand) quiet(ctx context.Context, p *subject.Process) (subject.Usage, error) {
	last, err := p.Usage(ctx)
	for err == nil {
		if err = pause(ctx, time.Second); err != nil {
			break
		}
		var now subject.Usage
		now, err = p.Usage(ctx)
		if err == nil && now.Writes() == last.Writes() && now.Stored == last.Stored {
			return now, nil
		}
		last = now
	}
	return last, err
}

// recover restores machines to what they were.
func (s *stand) recover(ctx context.Context, machines []fleet.Machine) error {
	if err := fleet.Each(ctx, machines, s.fleet.Heal); err != nil {
		return err
	}
	if _, err := s.observer.Times(ctx, machines, fleet.Healthy); err != nil {
		return fmt.Errorf("waiting for machines to be called healthy again: %w", err)
	}
	if err := fleet.Each(ctx, machines, s.fleet.Unmark); err != nil {
		return err
	}
	return s.observer.Without(ctx, machines, fleet.Owned)
}
