package view

import (
	"slices"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// Timeline is a drawing of the duration of a repair, with what is due.
type Timeline struct {
	From, To string
	Spans    []TimelineSpan
	// NowX is the position of the present; empty if nothing is due.
	NowX string
}

// TimelineSpan is a part of a timeline.
type TimelineSpan struct {
	Part
	Label, From, To, Took string
	Result                string
	// Due reports that it is in the future.
	Due bool
}

// least is the least width of a span.
const least = 12.0

func timeline(spans []explain.Span, first *Upcoming, next []explain.Upcoming, now time.Time) *Timeline {
	if len(spans) == 0 {
		return nil
	}
	all := slices.Clone(spans)
	last := all[len(all)-1]
	due := first != nil && last.Open && next[0].At.After(now)
	if due {
		all = append(all, explain.Span{Kind: "Due", Label: next[0].What, From: now, To: next[0].At})
	}
	t := &Timeline{From: explain.Clock(all[0].From, now), To: explain.Clock(all[len(all)-1].To, now)}
	total := all[len(all)-1].To.Sub(all[0].From).Seconds()
	room, x := width-least*float64(len(all)), 0.0
	for _, one := range all {
		took := max(0, one.To.Sub(one.From))
		w := least
		if total > 0 {
			w += room * took.Seconds() / total
		}
		s := TimelineSpan{
			Part: Part{Class: "t-" + strings.ToLower(string(one.Kind)), X: unit(x), W: unit(max(1, w-2))}, Label: one.Label, From: explain.Clock(one.From, now),
			To: explain.Clock(one.To, now), Took: Span(took), Result: one.Result, Due: one.Kind == "Due",
		}
		s.Title = s.Label + ", " + s.Took
		if s.Due {
			t.NowX = s.X
		}
		t.Spans = append(t.Spans, s)
		x += w
	}
	return t
}
