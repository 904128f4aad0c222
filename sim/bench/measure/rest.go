package measure

import (
	"context"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
)

// rest measures the cost of having nothing to do: first without heartbeats, and then with heartbeats of healthy Nodes.
func (s *stand) rest(ctx context.Context, p *subject.Process) error {
	still, err := s.used(ctx, p, func(ctx context.Context) error { return pause(ctx, s.plan.Beats) })
	if err != nil {
		return err
	}
	beats := 0
	used, err := s.used(ctx, p, func(ctx context.Context) (err error) {
		beats, err = s.beat(ctx)
		return err
	})
	if err != nil {
		return err
	}
	perThousand, perMinute := 1000/float64(beats), time.Minute.Seconds()/s.plan.Beats.Seconds()
	s.take(result.IdleCPU, p.Subject, still.CPU.Seconds()*perMinute)
	s.take(result.HeartbeatCPU, p.Subject, max(0, used.CPU-still.CPU).Seconds()*perThousand)
	s.take(result.HeartbeatBytes, p.Subject, max(0, used.Allocated-still.Allocated)*perThousand)
	if p.Subject != result.Floor {
		s.take(result.IdleRequests, p.Subject, used.All()*perMinute)
		s.take(result.IdleWrites, p.Subject, (used.Writes()+used.Events)*perMinute)
		s.takeRequests(result.AtRest, p.Subject, used, perMinute)
	}
	return nil
}

// used returns what a process uses while happen runs.
func (s *stand) used(ctx context.Context, p *subject.Process, happen func(context.Context) error) (subject.Usage, error) {
	before, err := p.Usage(ctx)
	if err != nil {
		return before, err
	}
	if err := happen(ctx); err != nil {
		return before, err
	}
	after, err := p.Usage(ctx)
	return after.Since(before), err
}

// beatsOf is the number of machines for which the plan's heartbeat rate holds. Larger fleets have more heartbeats.
const beatsOf = 10_000

// beat writes heartbeats, one Node after the other, and returns their number.
func (s *stand) beat(ctx context.Context) (int, error) {
	ticker := time.NewTicker(time.Second / time.Duration(s.plan.BeatsPerSecond*max(1, s.fleet.Shape.Size()/beatsOf)))
	defer ticker.Stop()
	end := time.NewTimer(s.plan.Beats)
	defer end.Stop()
	for n := 0; ; n++ {
		select {
		case <-ticker.C:
		case <-end.C:
			return n, nil
		case <-ctx.Done():
			return n, context.Cause(ctx)
		}
		if err := s.fleet.Beat(ctx, s.fleet.Machines[n%len(s.fleet.Machines)]); err != nil {
			return n, err
		}
	}
}
