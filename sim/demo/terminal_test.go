package demo

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
	"github.com/sickbay-dev/sickbay/sim/scenario"
)

// three returns three stories: one that ends, one that fails, and one that does not begin before
// the others end.
func three() []scenario.Scenario {
	return []scenario.Scenario{
		{Name: "one", Title: "a kubelet stops"}, {Name: "two", Title: "an upgrade begins between two reboots"}, {Name: "three", Title: "a person must approve"},
	}
}

// play plays them, and calls look after each change.
func play(t *terminal, look func()) {
	scenarios := three()
	at := func(after time.Duration) { time.Sleep(after); look() }
	say := func(name string, kind scenario.Kind, text string) {
		t.line(scenario.Line{Scenario: name, Kind: kind, Text: text, At: time.Now()})
	}
	t.programme("http://127.0.0.1:8780/", "/tmp/demo/kubeconfig")
	t.print("Starting everything")
	t.detail("Cluster blue is up")
	t.begin("one")
	t.begin("two")
	say("one", scenario.Broke, "kubelet of node blue-1 of cluster default/blue: Ready=Unknown")
	at(4 * time.Second)
	say("one", scenario.Judged, `machine blue-1: HealthCheckSucceeded=False ReadyUnhealthy "Node condition Ready is Unknown for more than 4s"`)
	say("two", scenario.Power, "host bronze-1 loses its power")
	at(8 * time.Second)
	results := []result{
		{scenario: scenarios[0], took: 12 * time.Second, outcome: scenario.Outcome{Detected: 4 * time.Second, Remediated: 4500 * time.Millisecond, Ready: 12 * time.Second}},
		{scenario: scenarios[1], took: 20 * time.Second, err: errors.New("waiting for the end: context deadline exceeded\nand more")},
		{scenario: scenarios[2], took: time.Second, outcome: scenario.Outcome{Detected: time.Second, Remark: "not touched until a person had approved, which took a while in this case"}},
	}
	t.end(results[0])
	t.begin("three")
	at(8 * time.Second)
	t.end(results[1])
	at(time.Second)
	t.end(results[2])
	t.sum(results)
	t.print("The logs are in /nowhere")
	look()
}

// screen is a terminal that knows the two escape sequences in use, and keeps what was shown.
type screen struct {
	text strings.Builder
}

func (s *screen) Write(p []byte) (int, error) { return s.text.Write(p) }

// lines returns the visible lines.
func (s *screen) lines() string {
	var lines []string
	for line := range strings.SplitSeq(s.text.String(), "\n") {
		var up int
		if n, err := fmt.Sscanf(line, "\x1b[%dA\x1b[J", &up); n == 1 && err == nil {
			lines = lines[:len(lines)-up]
			_, line, _ = strings.Cut(line, "\x1b[J")
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestTerminal(t *testing.T) {
	size := func(width, height int) func() (int, int) { return func() (int, int) { return width, height } }
	tests := map[string]Options{
		"pipe":     {},
		"wide":     {Size: size(160, 50)},
		"narrow":   {Size: size(80, 50)},
		"low":      {Size: size(100, 6)},
		"verbose":  {Verbose: true, Size: size(160, 50)},
		"coloured": {Color: true, Size: size(100, 50)},
	}
	for name, o := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var all strings.Builder
				shown := &screen{}
				o.Out, o.Began = shown, time.Now()
				var seen []string
				play(newTerminal(o, three(), &all), func() { seen = append(seen, shown.lines()) })
				if o.Size == nil || o.Verbose {
					seen = seen[len(seen)-1:]
				}
				text := strings.Join(seen, "\n-------- later\n")
				docs.Golden(t, name, strings.ReplaceAll(text, "\x1b", "ESC"))
				docs.Golden(t, "stories", all.String())
			})
		})
	}
}

// TestTerminalEndsAsAPipe: in the end, a terminal shows the same as a pipe receives.
func TestTerminalEndsAsAPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		show := func(size func() (int, int)) string {
			shown := &screen{}
			play(newTerminal(Options{Out: shown, Began: time.Now(), Size: size}, three(), &strings.Builder{}), func() {})
			return shown.lines()
		}
		if diff := cmp.Diff(show(nil), show(func() (int, int) { return 200, 50 })); diff != "" {
			t.Errorf("-pipe +terminal:\n%s", diff)
		}
	})
}
