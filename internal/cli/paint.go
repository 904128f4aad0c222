package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// color is an escape sequence of terminals. What it says is always said in words, too.
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

// newPainter colors what is written to a terminal, unless NO_COLOR is set (https://no-color.org).
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
