package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
)

// due is how many machines of the hanging clusters, in all, are sick when the clusters begin to hang. Their repairs fall due
// while the clusters hang, so the subject must read their Nodes live. If no cluster hangs, the machines are those of one healthy
// cluster.
const due = 50

// hang makes some of many clusters hang, and machines of the others sick.
func (s *stand) hang(ctx context.Context, p *subject.Process, clusters int) (err error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience())
	defer cancel()
	s.log.Info("Having clusters hang", "subject", p.Subject, "clusters", clusters)
	size := s.fleet.Shape.Machines
	hanging, others := s.fleet.Beside()[:max(clusters, 1)*size], s.fleet.Beside()[max(clusters, 1)*size:]
	var sick []fleet.Machine
	for all := range slices.Chunk(hanging, size) {
		sick = append(sick, all[:min((due+max(clusters, 1)-1)/max(clusters, 1), size)]...)
	}
	sick = sick[:min(due, len(sick))]
	since := time.Now().Truncate(time.Second)
	if err := fleet.Each(ctx, sick, func(ctx context.Context, m fleet.Machine) error { return s.fleet.Sicken(ctx, m, since) }); err != nil {
		return err
	}
	// The subject must learn about them before the silence.
	if err := pause(ctx, time.Second); err != nil {
		return err
	}
	end, err := s.silence(hanging[:clusters*size])
	if err != nil {
		return err
	}
	err = s.beside(ctx, p, clusters, others)
	if err = errors.Join(err, end()); err != nil {
		return err
	}
	return s.recoverFor(ctx, p, sick)
}

// silence makes the clusters of machines hang. The returned function ends that.
func (s *stand) silence(machines []fleet.Machine) (func() error, error) {
	var ends []func() error
	end := func() error {
		var errs []error
		for _, e := range ends {
			errs = append(errs, e())
		}
		return errors.Join(errs...)
	}
	silent := map[client.ObjectKey]bool{}
	for _, m := range machines {
		if silent[m.Cluster] {
			continue
		}
		one, err := s.fleet.World.Silence(m.Cluster)
		if err != nil {
			return nil, errors.Join(err, end())
		}
		ends, silent[m.Cluster] = append(ends, one), true
	}
	return end, nil
}

// beside makes some machines sick, again and again, while other clusters hang.
func (s *stand) beside(ctx context.Context, p *subject.Process, hanging int, machines []fleet.Machine) error {
	for range s.plan.Rounds {
		sick := s.someOf(machines, min(len(machines), s.plan.Alone*s.plan.PerSecond))
		deadlines, err := s.fallSick(ctx, sick)
		if err != nil {
			return err
		}
		verdicts, marks, err := s.times(ctx, sick)
		if err != nil {
			return fmt.Errorf("waiting for machines beside %d clusters that hang: %w", hanging, err)
		}
		s.take(result.HangVerdict(hanging), p.Subject, percentile(delays(verdicts, deadlines), 99))
		s.take(result.HangMark(hanging), p.Subject, percentile(delays(marks, deadlines), 99))
		if err := s.recover(ctx, sick); err != nil {
			return err
		}
	}
	return nil
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

// delays returns how long after their deadlines things happened, in seconds, sorted.
func delays(times, deadlines []time.Time) []float64 {
	delays := make([]float64, len(times))
	for i := range times {
		delays[i] = max(0, times[i].Sub(deadlines[i]).Seconds())
	}
	slices.Sort(delays)
	return delays
}

// percentile returns the least of the sorted values that at least that many percent do not exceed.
func percentile(sorted []float64, percent int) float64 {
	return sorted[(len(sorted)*percent+99)/100-1]
}
