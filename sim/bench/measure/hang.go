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

// due is how many machines of the hanging clusters, in all, are sick when the clusters begin to hang. Their repairs fall due while the
// clusters hang, so the subject must read their Nodes live. If no cluster hangs, the machines are those of one healthy cluster.
const due = 50

// hang makes some of many clusters hang, and machines of the others sick.
func (s *stand) hang(ctx context.Context, p *subject.Process, clusters int) error {
	s.log.Info("Having clusters hang", "subject", p.Subject, "clusters", clusters)
	size := s.fleet.Shape.Machines
	apart := max(clusters, 1)
	hanging, others := s.fleet.Beside()[:apart*size], s.fleet.Beside()[apart*size:]
	var sick []fleet.Machine
	for all := range slices.Chunk(hanging, size) {
		sick = append(sick, all[:min((due+apart-1)/apart, size)]...)
	}
	sick = sick[:min(due, len(sick))]
	if err := s.sicken(ctx, sick, time.Now().Truncate(time.Second)); err != nil {
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
	ends := map[client.ObjectKey]func() error{}
	end := func() (err error) {
		for _, e := range ends {
			err = errors.Join(err, e())
		}
		return err
	}
	for _, m := range machines {
		if ends[m.Cluster] != nil {
			continue
		}
		one, err := s.fleet.World.Silence(m.Cluster)
		if err != nil {
			return nil, errors.Join(err, end())
		}
		ends[m.Cluster] = one
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

// grace makes unreadable machines Unknown soon, instead of after five minutes.
const grace = "--remote-conditions-grace-period=10s"

// outage makes the largest cluster hang until nothing is left to report about its machines, and then for a minute.
func (s *stand) outage(ctx context.Context, p *subject.Process) error {
	if err := s.restart(ctx, p, grace); err != nil {
		return err
	}
	machines := s.fleet.Machines[len(s.fleet.Machines)-s.fleet.Shape.Largest():]
	end, err := s.silence(machines)
	if err != nil {
		return err
	}
	err = s.silentMinute(ctx, p, machines)
	if err = errors.Join(err, end()); err != nil {
		return err
	}
	if _, err := s.observer.Times(ctx, machines, fleet.Healthy); err != nil {
		return fmt.Errorf("waiting for machines to be called healthy after the silence: %w", err)
	}
	return nil
}

func (s *stand) silentMinute(ctx context.Context, p *subject.Process, machines []fleet.Machine) error {
	s.log.Info("Waiting until all machines are Unknown", "silent", len(machines))
	if _, err := s.observer.Times(ctx, machines, fleet.Unknown); err != nil {
		return fmt.Errorf("waiting for machines to be Unknown: %w", err)
	}
	if _, err := s.quiet(ctx, p); err != nil {
		return err
	}
	used, err := s.used(ctx, p, func(ctx context.Context) error { return pause(ctx, time.Minute) })
	if err != nil {
		return err
	}
	s.take(result.OutageCPU, p.Subject, used.CPU.Seconds())
	s.take(result.OutageWrites, p.Subject, used.Writes()+used.Events)
	return nil
}
