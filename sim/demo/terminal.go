package demo

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/sickbay-dev/sickbay/sim/scenario"
)

// terminal shows the stories: a row for each when it has ended. On an interactive terminal, each running story also has
// a line below the rows, which is redrawn.
type terminal struct {
	Options
	painter painter
	// all receives every line of every story.
	all io.Writer

	mu      sync.Mutex
	stories []*story
	headed  bool
	// drawn is how many lines below the rows must be redrawn.
	drawn int
}

func newTerminal(o Options, scenarios []scenario.Scenario, all io.Writer) *terminal {
	t := &terminal{Options: o, painter: painter(o.Color), all: all}
	for _, s := range scenarios {
		t.stories = append(t.stories, &story{scenario: s})
	}
	return t
}

// live reports whether lines can be redrawn.
func (t *terminal) live() bool { return t.Size != nil && !t.Verbose }

// programme announces what the demo will show, and where.
func (t *terminal) programme(address, kubeconfig string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "\nWatch it in a browser: %s\n", address)
	fmt.Fprintf(&b, "In another terminal:   export KUBECONFIG=%s; bin/sickbay status -A\n", kubeconfig)
	fmt.Fprintf(&b, "Real Cluster API controllers, a real API server, Sickbay beside them, and %d stories.\n", len(t.stories))
	for _, s := range t.stories {
		if t.Verbose {
			fmt.Fprintf(&b, "\n  %-17s  %s", s.scenario.Name, s.scenario.Title)
		}
	}
	if t.Verbose {
		b.WriteString("\n")
	}
	t.show(b.String())
}

// print shows what the demo itself does.
func (t *terminal) print(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.show(t.timed(time.Now(), t.painter.paint(dim, fmt.Sprintf(format, args...)), t.painter))
}

// detail shows what few people want to know.
func (t *terminal) detail(format string, args ...any) {
	if t.Verbose {
		t.print(format, args...)
	}
}

// begin records that a story begins.
func (t *terminal) begin(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.story(name).began = time.Now()
	t.show("")
}

// line shows one line of a story.
func (t *terminal) line(l scenario.Line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.story(l.Scenario)
	s.lines = append(s.lines, l)
	_, _ = fmt.Fprintln(t.all, t.timed(l.At, tell(l, false), false))
	if t.Verbose {
		t.show(t.timed(l.At, tell(l, t.painter), t.painter))
		return
	}
	t.show("")
}

func tell(l scenario.Line, p painter) string {
	return fmt.Sprintf("%-17s %s %s", l.Scenario, p.paint(colors[l.Kind], fmt.Sprintf("%-8s", l.Kind)), l.Text)
}

func (t *terminal) timed(at time.Time, text string, p painter) string {
	return fmt.Sprintf("%s %s", p.paint(dim, fmt.Sprintf("%6.1fs", at.Sub(t.Began).Seconds())), text)
}

// end shows how a story ended.
func (t *terminal) end(r result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.story(r.scenario.Name).ended = true
	if t.Verbose {
		return
	}
	t.row(r)
}

func (t *terminal) row(r result) {
	text := ""
	if !t.headed {
		text, t.headed = "\n"+head()+"\n", true
	}
	width := 0
	if t.Size != nil {
		width, _ = t.Size()
	}
	t.show(text + row(r, width, t.painter))
}

// sum shows the results that were not shown yet: the whole table in verbose mode, otherwise the lines of the stories
// that failed.
func (t *terminal) sum(results []result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range results {
		if t.Verbose {
			t.row(r)
			continue
		}
		if r.err == nil {
			continue
		}
		lines := []string{fmt.Sprintf("\nWhat happened in %s, until %s:", r.scenario.Name, firstLine(r.err.Error()))}
		for _, l := range t.story(r.scenario.Name).lines {
			lines = append(lines, t.timed(l.At, tell(l, t.painter), t.painter))
		}
		t.show(strings.Join(lines, "\n"))
	}
	t.show("\n")
}

func (t *terminal) story(name string) *story {
	for _, s := range t.stories {
		if s.scenario.Name == name {
			return s
		}
	}
	return &story{}
}

// tick redraws the running stories each second, until ctx ends.
func (t *terminal) tick(ctx context.Context) {
	if !t.live() {
		return
	}
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			t.mu.Lock()
			t.show("")
			t.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}

// show writes a text that stays, in place of the redrawn lines, and redraws these below it.
func (t *terminal) show(text string) {
	var b strings.Builder
	if t.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\x1b[J", t.drawn)
	}
	if text != "" {
		b.WriteString(strings.TrimSuffix(text, "\n") + "\n")
	}
	t.drawn = 0
	if t.live() {
		lines := t.underWay(time.Now())
		t.drawn = len(lines)
		for _, line := range lines {
			b.WriteString(line + "\n")
		}
	}
	_, _ = io.WriteString(t.Out, b.String())
}

// underWay returns the lines below the rows: the running stories, as many as fit, and how many are left.
func (t *terminal) underWay(now time.Time) []string {
	width, height := t.Size()
	var lines []string
	done, begun, waiting := 0, 0, 0
	for _, s := range t.stories {
		switch {
		case s.ended:
			done++
		case s.began.IsZero():
			waiting++
		case len(lines) < height-5:
			begun++
			lines = append(lines, running(s, now, width-1, t.painter))
		default:
			begun++
		}
	}
	if begun == 0 && (done == 0 || waiting == 0) {
		return nil
	}
	status := fmt.Sprintf("%6.0f s, %d of %d stories have ended", now.Sub(t.Began).Seconds(), done, len(t.stories))
	if hidden := begun - len(lines); hidden > 0 {
		status += fmt.Sprintf(", %d more under way", hidden)
	}
	if waiting > 0 {
		status += fmt.Sprintf(", %d to come", waiting)
	}
	return append(lines, "", t.painter.paint(dim, cut(status, width-1)))
}

// keep says how to look at the world.
func (t *terminal) keep(kubeconfig string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.show(fmt.Sprintf(`The world keeps running, and Sickbay and the page with it. In another terminal:

  export KUBECONFIG=%s
  bin/sickbay status -A
  kubectl get machines,machinehealthchecks,mr
  kubectl describe machine NAME

Ctrl-C ends it.`, kubeconfig))
}
