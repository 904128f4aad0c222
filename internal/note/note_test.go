package note

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFit(t *testing.T) {
	for name, text := range map[string]string{
		"empty":                      "",
		"as long as may be":          strings.Repeat("x", maxLength),
		"too long":                   strings.Repeat("x", maxLength+1),
		"a letter across the border": strings.Repeat("x", maxLength-4) + strings.Repeat("ä", 10),
	} {
		t.Run(name, func(t *testing.T) {
			got := Fit(text)
			if len(got) > maxLength || !utf8.ValidString(got) {
				t.Errorf("a note of %d bytes, valid %t", len(got), utf8.ValidString(got))
			}
			if len(text) <= maxLength && got != text {
				t.Errorf("a note that fits was changed to %q", got)
			}
			if len(text) > maxLength && !strings.HasSuffix(got, "...") {
				t.Errorf("a note that was cut does not say so: %q", got)
			}
		})
	}
}
