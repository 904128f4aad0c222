package measure

import (
	"net/http"
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
)

// take records a value of a round.
func (s *stand) take(m result.Measure, who result.Subject, value float64) {
	for i := range s.figures {
		f := &s.figures[i]
		if f.Measure == m && f.Subject == who {
			f.Values = append(f.Values, value)
			return
		}
	}
	s.figures = append(s.figures, result.Figure{Measure: m, Fleet: s.fleet.Shape, Subject: who, Values: []float64{value}})
}

// takeRequests records the number of requests by verb, times a factor, and returns their sum. Creations are counted in the
// API: see subject.Usage.
func (s *stand) takeRequests(during result.Phase, who result.Subject, used subject.Usage, factor float64) (all float64) {
	for _, verb := range result.Verbs() {
		n := used.Requests[verb]
		if verb == http.MethodPost {
			n = used.Created()
		}
		s.take(result.Requests(during, verb), who, n*factor)
		all += n * factor
	}
	return all
}

// takeDelays records the delays after deadlines.
func (s *stand) takeDelays(who result.Subject, times, deadlines []time.Time, p50, p99, most result.Measure) {
	sorted := delays(times, deadlines)
	s.take(p50, who, percentile(sorted, 50))
	s.take(p99, who, percentile(sorted, 99))
	s.take(most, who, percentile(sorted, 100))
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
