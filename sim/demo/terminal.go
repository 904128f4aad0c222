package demo

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/sickbay-dev/sickbay/sim/scenario"
)

// terminal writes lines, one writer at a time.
type terminal struct {
	mu    sync.Mutex
	out   io.Writer
	color bool
	began time.Time
}

func newTerminal(o Options) *terminal {
	return &terminal{out: o.Out, color: o.Color, began: o.Began}
}

// Colours of the terminal.
const (
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	blue   = "34"
	cyan   = "36"
)

var colors = map[scenario.Kind]string{
	scenario.Broke: red, scenario.Mended: green, scenario.Judged: yellow, scenario.Acted: blue,
	scenario.Owner: cyan, scenario.Healthy: green, scenario.Refrains: blue,
	scenario.Records: blue, scenario.Decides: cyan, scenario.Upgrades: cyan, scenario.Resumes: blue, scenario.Power: cyan,
}

// programme says what is about to be seen.
func (t *terminal) programme(scenarios []scenario.Scenario) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	b.WriteString("\nReal Cluster API controllers, a real API server, Sickbay beside them, and this is going to happen:\n\n")
	for _, s := range scenarios {
		fmt.Fprintf(&b, "  %-17s  %s\n", s.Name, s.Title)
	}
	_, _ = fmt.Fprintln(t.out, b.String())
}

// line tells one line of a story.
func (t *terminal) line(l scenario.Line) {
	t.write(l.At, fmt.Sprintf("%-17s %s %s", l.Scenario, t.paint(colors[l.Kind], fmt.Sprintf("%-8s", l.Kind)), l.Text))
}

// print tells what the demo itself does.
func (t *terminal) print(format string, args ...any) {
	t.write(time.Now(), t.paint(dim, fmt.Sprintf(format, args...)))
}

func (t *terminal) write(at time.Time, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = fmt.Fprintf(t.out, "%s %s\n", t.paint(dim, fmt.Sprintf("%6.1fs", at.Sub(t.began).Seconds())), text)
}

func (t *terminal) paint(color, text string) string {
	if !t.color || color == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// table sums up how the scenarios ended.
func (t *terminal) table(results []result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	const format = "  %-4s  %-38s  %9s  %10s  %14s  %s\n"
	var b strings.Builder
	fmt.Fprintf(&b, "\n"+format, "", "", "detected", "remediated", "new Node ready", "")
	fmt.Fprintf(&b, format, "", "scenario", "after", "after", "after", "")
	fmt.Fprintf(&b, format, "----", strings.Repeat("-", 38), strings.Repeat("-", 9), strings.Repeat("-", 10), strings.Repeat("-", 14), "")
	for _, r := range results {
		mark, remark := "ok", r.outcome.Remark
		if r.err != nil {
			mark, remark = "FAIL", firstLine(r.err.Error())
		}
		fmt.Fprintf(&b, format, mark, r.scenario.Title, seconds(r.outcome.Detected), seconds(r.outcome.Remediated), seconds(r.outcome.Ready), remark)
	}
	_, _ = fmt.Fprintln(t.out, b.String())
}

// keep says how to look at the world.
func (t *terminal) keep(kubeconfig string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = fmt.Fprintf(t.out, `The world keeps running, and Sickbay in it. In another terminal:

  export KUBECONFIG=%s
  kubectl get machines,machinehealthchecks
  kubectl describe machine NAME

Ctrl-C ends it.
`, kubeconfig)
}

func seconds(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
