package explain

import (
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// ago formats how long something has lasted, as kubectl prints ages.
func ago(since, now time.Time) string {
	return duration.HumanDuration(max(0, now.Sub(since)))
}

// halfDay is how close to now a time must be to need no date.
const halfDay = 12 * time.Hour

// Clock formats a time for people, without the date if it is within half a day of now.
func Clock(at, now time.Time) string {
	at = at.UTC()
	if d := at.Sub(now); d > halfDay || d < -halfDay {
		return at.Format("2006-01-02 15:04:05 UTC")
	}
	return at.Format("15:04:05 UTC")
}

// Number formats a number for people, with its digits in groups of three.
func Number(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Count formats a number of things, with the plural of regular nouns.
func Count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + one + "s"
}
