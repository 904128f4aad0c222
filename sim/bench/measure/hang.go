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

// hang has one cluster of many hang, and machines of the others fall sick.
func (s *stand) hang(ctx context.Context, p *subject.Process) (err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	hanging := s.fleet.Machines[0].Cluster
	end, err := s.fleet.World.Silence(hanging)
	if err != nil {
		return err
	}
	defer func() {
		if ended := end(); err == nil {
			err = ended
		}
	}()
	for range s.plan.Rounds {
		machines := slices.DeleteFunc(s.some(s.plan.Alone*s.plan.PerSecond+s.fleet.Shape.Machines), func(m fleet.Machine) bool { return m.Cluster == hanging })
		machines = machines[:s.plan.Alone*s.plan.PerSecond]
		deadlines, err := s.fallSick(ctx, machines)
		if err != nil {
			return err
		}
		times, err := s.observer.Times(ctx, machines, fleet.Sick)
		if err != nil {
			return fmt.Errorf("waiting for verdicts beside a cluster that hangs: %w", err)
		}
		s.take(result.HangP99, p.Subject, percentile(delays(times, deadlines), 99))
		if err := s.recover(ctx, machines); err != nil {
			return err
		}
	}
	return nil
}

// fallSick has some machines fall sick in each second, and returns their deadlines.
func (s *stand) fallSick(ctx context.Context, machines []fleet.Machine) ([]time.Time, error) {
	deadlines := make([]time.Time, len(machines))
	for i, m := range machines {
		if i%s.plan.PerSecond == 0 {
			// Time stamps in the API have whole seconds.
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

// delays are how long after their deadlines things happened, in seconds and in order.
func delays(times, deadlines []time.Time) []float64 {
	delays := make([]float64, len(times))
	for i := range times {
		delays[i] = max(0, times[i].Sub(deadlines[i]).Seconds())
	}
	slices.Sort(delays)
	return delays
}

// percentile is the least of sorted values that as many percent do not exceed.
func percentile(sorted []float64, percent int) float64 {
	return sorted[(len(sorted)*percent+99)/100-1]
}
