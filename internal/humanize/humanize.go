// Package humanize puts lists, counts and times into sentences, the same way in conditions, events, commands and pages. It is pure.
package humanize

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Some joins the first few of some names: "a, b and 3 more".
func Some(all []string, most int) string {
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:most], ", "), len(all)-most)
}

// Count formats a number of things: "1 Machine", "3 Machines".
func Count[T int | int32](n T, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

// Upper capitalizes the first letter of a sentence.
func Upper(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// Time formats a time as the API does.
func Time(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// Span formats a duration as people write it: 2h, not 2h0m0s.
func Span(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// ParseSpan parses a duration as people write it: 45m, 2h, and also 3d or 1d12h.
func ParseSpan(text string) (time.Duration, error) {
	const day = 24 * time.Hour
	text = strings.TrimSpace(text)
	whole, rest, hasDays := strings.Cut(text, "d")
	if !hasDays {
		whole, rest = "0", text
	} else if rest == "" {
		rest = "0"
	}
	days, err := strconv.ParseUint(whole, 10, 16)
	span, restErr := time.ParseDuration(rest)
	if err != nil || restErr != nil || hasDays && (span < 0 || span >= day) {
		return 0, errors.New("it must be a duration such as 45m, 2h or 3d")
	}
	return time.Duration(days)*day + span, nil
}
