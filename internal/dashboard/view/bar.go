package view

import (
	"fmt"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// width is the width of drawings, in their own unit.
const width = 1000

// Part is a piece of a bar.
type Part struct {
	Class string
	X, W  string
	Title string
}

// Bar shows machines side by side, by state.
type Bar struct {
	Parts []Part
	// Text says the same in words.
	Text string
}

// visible is the least visible width.
const visible = 4.0

func bar(n map[explain.State]int) Bar {
	total, shown := 0, 0
	for _, count := range n {
		total += count
		if count > 0 {
			shown++
		}
	}
	b, x := Bar{}, 0.0
	room := width - visible*float64(shown)
	for _, state := range states {
		if n[state] == 0 {
			continue
		}
		w := visible + room*float64(n[state])/float64(total)
		title := explain.Number(n[state]) + " " + state.Words()
		b.Parts = append(b.Parts, Part{Class(state), unit(x), unit(w), title})
		b.Text = join(b.Text, title)
		x += w
	}
	return b
}

// unit formats a number in a drawing.
func unit(x float64) string { return fmt.Sprintf("%.4g", x) }

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + ", " + b
}
