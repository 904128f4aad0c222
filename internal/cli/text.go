package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// text prints pages for people.
type text struct {
	w       io.Writer
	painter painter
	// width is the number of columns; 0 means no limit.
	width int
}

func newText(w io.Writer) *text { return &text{tame{w}, newPainter(w), width(w)} }

// widest is the longest line that is comfortable to read.
const widest = 120

// width returns the number of columns of a terminal; 0 if w is none.
func width(w io.Writer) int {
	file, ok := w.(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return min(columns, widest)
}

// colors are the colors of the first words of headlines.
var colors = map[string]color{
	"HEALTHY": green, "SICK": red, "HELD": red, "GONE": dim, "PAUSED": yellow, "UNDECIDED": yellow, "BEING": yellow,
	"NOT": yellow, "OPEN": green, "CLOSED": red, "STOPPED": red, "OBSERVING": blue, "ON": yellow,
}

// page prints one page. If there are several, each name has its namespace.
func (t *text) page(p explain.Page, several bool) {
	name := p.Name
	if several {
		name = p.Namespace + "/" + p.Name
	}
	first, rest, _ := strings.Cut(inline(p.Headline), " ")
	fmt.Fprintf(t.w, "%s: %s %s\n", t.painter.paint(bold, name), t.painter.paint(colors[strings.TrimRight(first, ";:,.")], first), rest)
	labels := 0
	for _, row := range p.Rows {
		labels = max(labels, len(row.Label))
	}
	last := ""
	for _, row := range p.Rows {
		label := row.Label
		if label == last {
			label = ""
		}
		last = row.Label
		t.row(label, row.Text, labels+2)
	}
}

// row prints a label and a text. Further lines of the text are indented.
func (t *text) row(label, line string, indent int) {
	for i, part := range wrapped(line, t.width-indent) {
		if i > 0 {
			label = ""
		}
		fmt.Fprintf(t.w, "%s%s%s\n", t.painter.paint(dim, label), strings.Repeat(" ", indent-len(label)), part)
	}
}

// wrapped breaks a text between words, if there is room for words.
func wrapped(line string, columns int) []string {
	if columns < 20 {
		return []string{inline(line)}
	}
	var lines []string
	current := ""
	for word := range strings.FieldsSeq(line) {
		if current != "" && utf8.RuneCountInString(current)+1+utf8.RuneCountInString(word) > columns {
			lines, current = append(lines, current), ""
		}
		current = strings.TrimLeft(current+" "+word, " ")
	}
	return append(lines, current)
}

// color is a terminal's escape sequence. Colors never carry information that the words do not have.
type color string

const (
	bold   color = "\x1b[1m"
	dim    color = "\x1b[2m"
	red    color = "\x1b[31m"
	green  color = "\x1b[32m"
	yellow color = "\x1b[33m"
	blue   color = "\x1b[34m"

	plain = "\x1b[0m"
)

// painter colors text for a terminal.
type painter bool

// newPainter returns a painter that colors text if w is a terminal and NO_COLOR is not set (https://no-color.org).
func newPainter(w io.Writer) painter {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	file, ok := w.(*os.File)
	return painter(ok && term.IsTerminal(int(file.Fd())))
}

func (p painter) paint(c color, text string) string {
	if !p || c == "" || text == "" {
		return text
	}
	return string(c) + text + plain
}
