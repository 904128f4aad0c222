package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/simulate"
)

// TestTame: control characters from objects do not reach the terminal.
func TestTame(t *testing.T) {
	for said, want := range map[string]string{
		"Node is ü, 健\tand\n":              "Node is ü, 健\tand\n",
		"\x1b[31mred\x1b[0m":               "\x1b[31mred\x1b[0m",
		"fine\x1b[8m, \x1b[40m\x1b[30m":    "fine?[8m, ?[40m?[30m",
		"\x1b[2J\x1b[Hgone":                "?[2J?[Hgone",
		"\x1b]0;title\a":                   "?]0;title?",
		"over\rwritten\b\x7f":              "over?written??",
		"\u009b2J":                         "?2J",
		"\u202eback\u202c \u2067to\u2069!": "?back? ?to?!",
	} {
		var b strings.Builder
		if n, err := fmt.Fprint(tame{&b}, said); err != nil || n != len(said) {
			t.Errorf("%q: %d of %d bytes were written: %v", said, n, len(said), err)
		}
		if b.String() != want {
			t.Errorf("%q became %q, want %q", said, b.String(), want)
		}
	}
}

// TestForeignText: what an object says stays on its own row, and does not reach the terminal as it is.
func TestForeignText(t *testing.T) {
	const bad = "bad\x1b[2Jmessage\nManager  nobody leads"
	pages := map[string]func(*text){
		"explain": func(t *text) {
			t.page(explain.Page{Name: "m", Headline: bad, Rows: []explain.Row{{Label: "Why", Text: bad}}}, false)
		},
		"status": func(t *text) {
			t.fleet(explain.Fleet{NeedsYou: []explain.Item{{Name: "m", Text: bad}}, Next: []explain.Upcoming{{Name: "m", What: bad}}, Checks: []explain.CheckLine{{Name: "c", Gate: bad}}}, false)
		},
		"history": func(t *text) {
			t.history([]explain.Repair{{Machine: "m", Reason: bad, Outcome: bad, Detected: time.Now()}}, true)
		},
		"simulate": func(t *text) { t.timeline(&simulate.Result{Timeline: []simulate.Event{{What: bad}}}, true) },
	}
	for name, print := range pages {
		var b strings.Builder
		print(newText(&b))
		if said := b.String(); strings.Contains(said, "\nManager  nobody leads") || strings.Contains(said, "\x1b") || !strings.Contains(said, "bad?[2Jmessage") {
			t.Errorf("%s: %q", name, said)
		}
	}
}
