package view

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// When is a time, for people and for programs.
type When struct {
	ISO   string
	Clock string
	// In is how long it is until then, or "now" if the time has come.
	In string
}

func when(at, now time.Time) When {
	w := When{ISO: at.UTC().Format(time.RFC3339), Clock: explain.Clock(at, now), In: "now"}
	if at.After(now) {
		w.In = "in " + Span(at.Sub(now))
	}
	return w
}

// Span formats a duration for a countdown, with at most two parts.
func Span(d time.Duration) string {
	d = d.Round(time.Second)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case h >= 48:
		return fmt.Sprintf("%dd %dh", h/24, h%24)
	case h > 0:
		return fmt.Sprintf("%dh %02dm", h, m)
	case m > 0:
		return fmt.Sprintf("%dm %02ds", m, s)
	}
	return fmt.Sprintf("%ds", s)
}

// ago formats how long something has lasted, as the commands do.
func ago(since, now time.Time) string {
	if since.IsZero() {
		return ""
	}
	return duration.HumanDuration(max(0, now.Sub(since)))
}
