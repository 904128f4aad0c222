package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/simulate"
)

// Steps are numbers over time, drawn as step lines.
type Steps struct {
	// NotHealthy and InFlight are the paths of the two lines, and Area is the area below the first.
	NotHealthy, InFlight, Area string
	From, To                   string
	Most                       int
	Text                       string
}

const stepsHeight = 160

// stepsOf draws how many machines are not healthy, and how many repairs are in flight, over time; nil if nothing happens.
func stepsOf(r *simulate.Result) *Steps {
	if len(r.Timeline) == 0 {
		return nil
	}
	s := &Steps{From: explain.Clock(r.From, r.From), To: explain.Clock(r.Until, r.From)}
	peak := 0
	for i := range r.Timeline {
		s.Most = max(s.Most, r.Timeline[i].NotHealthy, r.Timeline[i].InFlight)
		peak = max(peak, r.Timeline[i].NotHealthy)
	}
	if s.Most == 0 {
		return nil
	}
	total := r.Until.Sub(r.From)
	s.NotHealthy = stepPath(r.Timeline, r.From, total, s.Most, func(e *simulate.Event) int { return e.NotHealthy })
	s.InFlight = stepPath(r.Timeline, r.From, total, s.Most, func(e *simulate.Event) int { return e.InFlight })
	s.Area = s.NotHealthy + fmt.Sprintf("V%dH0z", stepsHeight)
	s.Text = fmt.Sprintf("At most %d not healthy, and %d in repair, at one moment", peak, r.Summary.MostAtOnce)
	return s
}

func stepPath(events []simulate.Event, from time.Time, total time.Duration, most int, of func(*simulate.Event) int) string {
	var b strings.Builder
	y := func(n int) string { return unit(4 + (stepsHeight-8)*(1-float64(n)/float64(most))) }
	fmt.Fprintf(&b, "M0 %s", y(of(&events[0])))
	last := of(&events[0])
	for i := range events {
		// Of several events at one time, the last has the final numbers.
		if n := of(&events[i]); n != last && (i == len(events)-1 || !events[i+1].At.Equal(events[i].At)) {
			fmt.Fprintf(&b, "H%sV%s", unit(width*float64(events[i].At.Sub(from))/float64(total)), y(n))
			last = n
		}
	}
	fmt.Fprintf(&b, "H%d", width)
	return b.String()
}
