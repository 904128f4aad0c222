package humanize

import (
	"testing"
	"time"
)

func TestHumanize(t *testing.T) {
	for got, want := range map[string]string{
		Nearest("Helo", []string{"hold", "hello", "held"}): "hello",
		Nearest("metal", []string{"mineral", "vessel"}):    "",
		Some(nil, 2):                          "",
		Some([]string{"a", "b"}, 2):           "a, b",
		Some([]string{"a", "b", "c", "d"}, 3): "a, b, c and 1 more",
		Count(0, "Machine", "Machines"):       "0 Machines",
		Count(1, "Machine", "Machines"):       "1 Machine",
		Count(int32(2), "entry", "entries"):   "2 entries",
		Upper("one sentence"):                 "One sentence",
		Upper("x"):                            "X",
		Time(time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))): "2026-01-02T02:04:05Z",
		Span(2 * time.Hour):                 "2h",
		Span(90 * time.Minute):              "1h30m",
		Span(10 * time.Minute):              "10m",
		Span(90 * time.Second):              "1m30s",
		Span(0):                             "0s",
		Span(2*time.Hour + 20*time.Second):  "2h0m20s",
		Span(100 * time.Millisecond):        "100ms",
		Span(20*time.Minute + time.Second):  "20m1s",
		Span(30 * time.Second):              "30s",
		Span(24*time.Hour + 10*time.Minute): "24h10m",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestParseSpan: days are taken, too, alone or before the rest.
func TestParseSpan(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"1d": 24 * time.Hour, "30d": 720 * time.Hour, "1d12h": 36 * time.Hour, "2d0h30m": 48*time.Hour + 30*time.Minute, "0d": 0,
		"45m": 45 * time.Minute, "2h": 2 * time.Hour, "1h30m": 90 * time.Minute, "36h": 36 * time.Hour, "-1h": -time.Hour, "0": 0,
	} {
		if got, err := ParseSpan(text); err != nil || got != want {
			t.Errorf("%q is %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "1", "1 d", "-1d", "1d-1h", "1d36h", "1d2d", "1h1d", "1.5d", "99999d", "soon", "1dd"} {
		if got, err := ParseSpan(text); err == nil {
			t.Errorf("%q is %s", text, got)
		}
	}
}
