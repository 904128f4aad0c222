package view

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// When is a moment as people read it, and as programs do.
type When struct {
	ISO   string
	Clock string
	// In is how long it is until then, or now; empty for what is over.
	In string
}

func when(at, now time.Time) When {
	w := When{ISO: at.UTC().Format(time.RFC3339), Clock: explain.Clock(at, now), In: "now"}
	if at.After(now) {
		w.In = "in " + Span(at.Sub(now))
	}
	return w
}

// Span is a duration as it is counted down: two parts, and no more.
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

// ago is how long something has lasted, as the commands print it.
func ago(since, now time.Time) string {
	if since.IsZero() {
		return ""
	}
	return duration.HumanDuration(max(0, now.Sub(since)))
}
