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

// firstMarks is how many marks of a storm must come soon.
const firstMarks = 100

// writesPerSecond is what any API server can take.
const writesPerSecond = 50

// storm makes machines sick at the same moment, and soon after some of other clusters, if there are any.
func (s *stand) storm(ctx context.Context, p *subject.Process, machines []fleet.Machine) error {
	before, err := p.Usage(ctx)
	if err != nil {
		return err
	}
	// The sickness is dated in the future: on a busy computer, writing the Nodes takes longer than their timeout.
	deadline := time.Now().Truncate(time.Second).Add(time.Duration(len(machines)/writesPerSecond)*time.Second + s.fleet.NodeTimeout())
	since := deadline.Add(-s.fleet.NodeTimeout())
	if err := s.sicken(ctx, machines, since); err != nil {
		return err
	}
	lone, due, err := s.lonely(ctx, since)
	if err != nil {
		return err
	}
	if late := time.Since(deadline); late > 0 {
		return fmt.Errorf("it took %s too long to prepare", late)
	}
	if err := s.takeStorm(ctx, p.Subject, machines, deadline); err != nil {
		return err
	}
	if err := s.takeLonely(ctx, p.Subject, lone, due); err != nil {
		return err
	}
	after, err := s.quiet(ctx, p)
	if err != nil {
		return err
	}
	n, used := float64(len(machines)+len(lone)), after.Since(before)
	s.take(result.StormWrites, p.Subject, used.Writes()/n)
	s.takeRequests("storm", p.Subject, used, 1/n)
	return s.recover(ctx, lone)
}

func (s *stand) takeStorm(ctx context.Context, who result.Subject, machines []fleet.Machine, deadline time.Time) error {
	verdicts, marks, err := s.times(ctx, machines)
	if err != nil {
		return err
	}
	s.take(result.StormVerdict, who, latest(verdicts).Sub(deadline).Seconds())
	s.take(result.StormMark, who, latest(marks).Sub(deadline).Seconds())
	slices.SortFunc(marks, time.Time.Compare)
	first := marks[:min(firstMarks, len(marks))]
	s.take(result.StormFirst, who, percentile(delays(first, slices.Repeat([]time.Time{deadline}, len(first))), 99))
	return nil
}

// lonely makes one machine outside the large cluster sick in each of the first seconds after a moment. Without a large
// cluster, the storm is everywhere, so there are none.
func (s *stand) lonely(ctx context.Context, since time.Time) (machines []fleet.Machine, deadlines []time.Time, err error) {
	const seconds = 3
	if len(s.fleet.Large()) == 0 {
		return nil, nil, nil
	}
	machines = s.someOf(s.fleet.Beside(), seconds)
	for _, m := range machines {
		since = since.Add(time.Second)
		if err := s.fleet.Sicken(ctx, m, since); err != nil {
			return nil, nil, err
		}
		deadlines = append(deadlines, since.Add(s.fleet.NodeTimeout()))
	}
	return machines, deadlines, nil
}

func (s *stand) takeLonely(ctx context.Context, who result.Subject, machines []fleet.Machine, deadlines []time.Time) error {
	if len(machines) == 0 {
		return nil
	}
	verdicts, marks, err := s.times(ctx, machines)
	if err != nil {
		return err
	}
	s.take(result.LoneVerdict, who, percentile(delays(verdicts, deadlines), 100))
	s.take(result.LoneMark, who, percentile(delays(marks, deadlines), 100))
	return nil
}
