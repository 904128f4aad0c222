package explain

import (
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// ago is how long something has lasted, as kubectl prints ages.
func ago(since, now time.Time) string {
	return duration.HumanDuration(max(0, now.Sub(since)))
}

// Clock is a moment as people read it: without the date if it is within a day.
func Clock(at, now time.Time) string {
	at = at.UTC()
	if d := at.Sub(now); d > 24*time.Hour || d < -24*time.Hour {
		return at.Format("2006-01-02 15:04:05 UTC")
	}
	return at.Format("15:04:05 UTC")
}

// Number is a number as people read it, its digits in groups of three.
func Number(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// count says how many there are of something, with the plural of regular nouns.
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + one + "s"
}
