package demo

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sickbay-dev/sickbay/sim/scenario"
)

// story is one scenario and what was told of it.
type story struct {
	scenario scenario.Scenario
	began    time.Time
	// lines are the lines so far.
	lines []scenario.Line
	ended bool
}

// result is the result of a scenario.
type result struct {
	scenario scenario.Scenario
	outcome  scenario.Outcome
	took     time.Duration
	err      error
}

const (
	// columns are the columns of the table; the remark comes last, and has no heading.
	columns = "  %-4s  %-38s  %7s  %6s  %6s  %7s"
	// indent is where remarks begin that do not fit beside the figures.
	indent = "        "
)

// head returns the heading of the table of results.
func head() string {
	return fmt.Sprintf(columns+"\n"+columns, "", "", "", "judged", "repair", "healthy", "", "story", "took", "after", "after", "after")
}

// row says how a story ended, in lines of the given width; 0 means any width.
func row(r result, width int, p painter) string {
	mark, color, remark := "ok", green, r.outcome.Remark
	if r.err != nil {
		mark, color, remark = "FAIL", red, firstLine(r.err.Error())
	}
	figures := fmt.Sprintf(columns, mark, r.scenario.Title, seconds(r.took), seconds(r.outcome.Detected), seconds(r.outcome.Remediated), seconds(r.outcome.Ready))
	colored := strings.Replace(figures, mark, p.paint(color, mark), 1)
	if remark == "" {
		return colored
	}
	if width == 0 || utf8.RuneCountInString(figures)+2+utf8.RuneCountInString(remark) <= width {
		return colored + "  " + remark
	}
	for _, line := range wrap(remark, width-len(indent)) {
		colored += "\n" + indent + p.paint(dim, line)
	}
	return colored
}

// running describes the current state of a story in one line.
func running(s *story, now time.Time, width int, p painter) string {
	text := fmt.Sprintf("  %-4s  %-38s  %7s", "..", s.scenario.Title, fmt.Sprintf("%.0f s", now.Sub(s.began).Seconds()))
	if len(s.lines) == 0 {
		return cut(text, width)
	}
	last := s.lines[len(s.lines)-1]
	kind := fmt.Sprintf("%-8s", last.Kind)
	whole := cut(text+"  "+kind+" "+last.Text, width)
	return strings.Replace(whole, kind, p.paint(colors[last.Kind], kind), 1)
}

// cut truncates a line to a width.
func cut(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:max(0, width-1)]) + "…"
}

// wrap breaks a text into lines between words.
func wrap(text string, width int) []string {
	var lines []string
	for word := range strings.FieldsSeq(text) {
		if last := len(lines) - 1; last >= 0 && utf8.RuneCountInString(lines[last])+1+utf8.RuneCountInString(word) <= width {
			lines[last] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
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
