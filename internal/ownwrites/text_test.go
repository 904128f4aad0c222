package ownwrites

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNote(t *testing.T) {
	for name, text := range map[string]string{
		"empty":                      "",
		"as long as may be":          strings.Repeat("x", maxNote),
		"too long":                   strings.Repeat("x", maxNote+1),
		"a letter across the border": strings.Repeat("x", maxNote-4) + strings.Repeat("ä", 10),
	} {
		t.Run(name, func(t *testing.T) {
			got := Note(text)
			if len(got) > maxNote || !utf8.ValidString(got) {
				t.Errorf("a note of %d bytes, valid %t", len(got), utf8.ValidString(got))
			}
			if len(text) <= maxNote && got != text {
				t.Errorf("a note that fits was changed to %q", got)
			}
			if len(text) > maxNote && !strings.HasSuffix(got, "...") {
				t.Errorf("a note that was cut does not say so: %q", got)
			}
		})
	}
}
