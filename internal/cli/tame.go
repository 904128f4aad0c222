package cli

import (
	"io"
	"regexp"
)

// tame writes what objects say so that it stays text. A message may have been written by anybody, and a terminal obeys control
// characters: they move its cursor, rename its window, or turn the order of words around. Colors pass.
type tame struct{ w io.Writer }

// unruly are colors, controls but for tabs and ends of lines, and marks of direction.
var unruly = regexp.MustCompile("\x1b\\[[0-9]{1,2}m|[\x00-\x08\x0b-\x1f\x7f-\u009f\u202a-\u202e\u2066-\u2069]")

// Write writes p, with a question mark for each character that is not text.
func (t tame) Write(p []byte) (int, error) {
	text := unruly.ReplaceAllFunc(p, func(found []byte) []byte {
		if found[0] == '\x1b' && len(found) > 1 {
			return found
		}
		return []byte("?")
	})
	if _, err := t.w.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}
