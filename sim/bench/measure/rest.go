package measure

import (
	"context"
	"net/http"
	"slices"
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
		s.takeRequests("rest", p.Subject, used, perMinute)
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

// Real Nodes report every five minutes: 10,000 of them 33 times per second. Smaller fleets have as many heartbeats, and larger ones more.
const beatsOf, beatsPerSecond = 10_000, 33

// beat writes heartbeats, one Node after the other, and returns their number.
func (s *stand) beat(ctx context.Context) (int, error) {
	ticker := time.NewTicker(time.Second / time.Duration(beatsPerSecond*max(1, s.fleet.Shape.Size()/beatsOf)))
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

// take records a value of a round.
func (s *stand) take(m result.Measure, who result.Subject, value float64) {
	k := result.Key{Measure: m, Fleet: s.fleet.Shape, Subject: who}
	s.figures[k] = append(s.figures[k], value)
}

// takeRequests records the number of requests by verb, times a factor, and returns their sum. Creations are counted in the
// API: see subject.Usage.
func (s *stand) takeRequests(during string, who result.Subject, used subject.Usage, factor float64) (all float64) {
	for _, verb := range []string{http.MethodGet, http.MethodPatch, http.MethodPut, http.MethodDelete, http.MethodPost} {
		n := used.Requests[verb]
		if verb == http.MethodPost {
			n = used.Created()
		}
		s.take(result.Requests(during, verb), who, n*factor)
		all += n * factor
	}
	return all
}

// takeDelays records the delays of something after deadlines.
func (s *stand) takeDelays(who result.Subject, of string, times, deadlines []time.Time) {
	sorted := delays(times, deadlines)
	for name, percent := range map[string]int{"p50": 50, "p99": 99, "max": 100} {
		s.take(result.Measure(of+"-"+name), who, percentile(sorted, percent))
	}
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

// latest returns the last of some times.
func latest(times []time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }
