package explain_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// TestDrawn: the figures behind the sentences, scene by scene. Read testdata/drawn.golden beside testdata/pages.golden.
func TestDrawn(t *testing.T) {
	var b strings.Builder
	for _, one := range scenes {
		s := explaintest.New()
		one.build(s)
		p := s.Facts().Of(one.kind, one.object)[0]
		fmt.Fprintf(&b, "# %s\n", one.name)
		drawn(&b, &p)
		fmt.Fprintln(&b)
	}
	docs.Golden(t, "drawn", b.String())
}

func drawn(b *strings.Builder, p *explain.Page) {
	if g := p.Gate; g != nil {
		fmt.Fprintf(b, "gate      open %v, %d of %d not healthy (%d sick, %d undecided, %d deleting)", g.Open, g.NotHealthy, g.Expected, g.Sick, g.Undecided, g.Deleting)
		if g.Most != nil {
			fmt.Fprintf(b, ", at most %d (%s)", *g.Most, g.Limit)
		}
		fmt.Fprintln(b)
	}
	if s := p.Slots; s != nil && s.Of != nil {
		fmt.Fprintf(b, "slots     %d of %d by %v\n", s.InUse, *s.Of, s.By)
	}
	if l := p.Line; l != nil {
		fmt.Fprintf(b, "line      %d of %d, %s\n", l.Place, l.Of, l.For)
	}
	for _, step := range p.Plan {
		fmt.Fprintf(b, "plan      %s\n", step.Name)
	}
	if r := p.Repair; r != nil {
		for _, step := range r.Steps {
			fmt.Fprintf(b, "step      %-8s %s, tried %d of %d, %ds\n", step.State, step.Name, step.Tried, step.Attempts, step.TimeoutSeconds)
		}
		for _, one := range r.Attempts {
			fmt.Fprintf(b, "attempt   %s %s: %s %s\n", one.Name, one.Said, one.Message, one.Object)
		}
		for _, span := range r.Spans {
			fmt.Fprintf(b, "span      %-9s %s, %s from %s, goes on %v\n", span.Kind, span.Label, span.To.Sub(span.From), span.From.Format(time.TimeOnly), span.Open)
		}
	}
	for _, one := range p.Otherwise {
		fmt.Fprintf(b, "otherwise %s\n", one)
	}
	for _, one := range p.Commands {
		fmt.Fprintf(b, "command   %s: %s\n", one.Line, one.Does)
	}
}
