// Package sentence checks Sickbay's messages about invalid input.
//
// It is part of internal/testing, and imports nothing, so that fuzz tests compile fast.
package sentence

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// most is how long a message may be, not counting what it quotes.
const most = 1000

// Clear fails the test unless text is one line of printable characters, and short enough to read.
func Clear(t testing.TB, text string, quoted ...string) {
	t.Helper()
	room := most
	for _, one := range quoted {
		room += 4 * len(one) // a character may be written as \x00
	}
	bad := func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }
	if text == "" || len(text) > room || !utf8.ValidString(text) || strings.ContainsFunc(text, bad) {
		t.Errorf("this is no clear sentence: %q", text)
	}
}
