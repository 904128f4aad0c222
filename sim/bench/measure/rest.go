package measure

import (
	"context"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
)

// rest measures what it costs to have nothing to do: Nodes beat, and all of them are well.
func (s *stand) rest(ctx context.Context, p *subject.Process) error {
	before, err := p.Usage(ctx)
	if err != nil {
		return err
	}
	beats, err := s.beat(ctx)
	if err != nil {
		return err
	}
	after, err := p.Usage(ctx)
	if err != nil {
		return err
	}
	used := after.Since(before)
	perThousand, perMinute := 1000/float64(beats), time.Minute.Seconds()/s.plan.Beats.Seconds()
	s.take(result.HeartbeatCPU, p.Subject, used.CPU.Seconds()*perThousand)
	s.take(result.HeartbeatBytes, p.Subject, used.Allocated*perThousand)
	if p.Subject != result.Floor {
		s.take(result.IdleRequests, p.Subject, used.All()*perMinute)
		s.take(result.IdleWrites, p.Subject, (used.Writes()+used.Events)*perMinute)
		s.takeRequests(result.AtRest, p.Subject, used, perMinute)
	}
	return nil
}

// beat writes heartbeats, one Node after the other, and returns how many.
func (s *stand) beat(ctx context.Context) (int, error) {
	ticker := time.NewTicker(time.Second / time.Duration(s.plan.BeatsPerSecond))
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
