package view

import (
	"fmt"
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// Columns are counts over time, drawn as stacked columns.
type Columns struct {
	Bars []ColumnBar
	// From and To are the ends of the time, Each is the duration of a column, and Most is the largest count.
	From, To, Each string
	Most           int
}

// ColumnBar is one column.
type ColumnBar struct {
	X, W  string
	Parts []ColumnPart
	Title string
}

// ColumnPart is a piece of a column.
type ColumnPart struct{ Class, Y, H string }

// columnSizes are the possible durations of a column.
var columnSizes = []time.Duration{
	time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 48 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour,
}

const (
	maxColumns   = 32
	columnHeight = 100
)

// outcomeOrder is the order in which outcomes are stacked.
var outcomeOrder = []struct{ class, words string }{
	{"o-helped", "helped"}, {"o-unproven", "machine gone, unproven"}, {"o-unaided", "recovered unaided"}, {"o-failed", "did not help"}, {"o-held", "held"}, {"o-open", "open"},
}

// outcomesOverTime draws the outcomes of repairs, by when they were admitted; nil if there are none.
func outcomesOverTime(all []explain.Repair, now time.Time) *Columns {
	if len(all) == 0 {
		return nil
	}
	first := all[len(all)-1].Admitted
	size := columnSizes[len(columnSizes)-1]
	for _, shorter := range slices.Backward(columnSizes) {
		if now.Sub(first) < maxColumns*shorter {
			size = shorter
		}
	}
	from := first.Truncate(size)
	// The clock that set a repair's times may be ahead of ours.
	counts := make([]map[string]int, max(1, min(500, int((now.Sub(from)+size-1)/size))))
	c := &Columns{From: explain.Clock(from, now), To: explain.Clock(now, now), Each: Span(size)}
	for i := range counts {
		counts[i] = map[string]int{}
	}
	for _, r := range all {
		at := min(len(counts)-1, max(0, int(r.Admitted.Sub(from)/size)))
		counts[at][outcomeClass(r)]++
		counts[at][""]++
		c.Most = max(c.Most, counts[at][""])
	}
	step := float64(width) / float64(len(counts))
	for i, n := range counts {
		if n[""] > 0 {
			c.Bars = append(c.Bars, columnBar(n, c.Most, float64(i)*step, step, explain.Clock(from.Add(time.Duration(i)*size), now)))
		}
	}
	return c
}

func columnBar(n map[string]int, most int, x, step float64, at string) ColumnBar {
	b := ColumnBar{X: unit(x), W: unit(max(2, step-3)), Title: at}
	y := float64(columnHeight)
	for _, one := range outcomeOrder {
		if n[one.class] == 0 {
			continue
		}
		h := columnHeight * float64(n[one.class]) / float64(most)
		y -= h
		b.Parts = append(b.Parts, ColumnPart{one.class, unit(y), unit(h)})
		b.Title += fmt.Sprintf(", %d %s", n[one.class], one.words)
	}
	return b
}
