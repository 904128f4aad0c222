package prometheus

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

const (
	// factor is the divisor of times: an hour becomes a second.
	factor = 3600
	// leastWait is the shortest wait: two rounds of scraping and evaluating.
	leastWait = 2 * time.Second
	// leastRange is the shortest range, because it must contain what happens in it.
	leastRange = 30 * time.Second
)

// span matches a time in a file of rules: a range, an offset, an alert's wait, or a threshold written as a product of seconds.
var span = regexp.MustCompile(`(\[|offset |for: )(\d+)([smhd])|(\d+) \* (60|3600)\b`)

// Shorten divides the times in a file of rules by 3600, so that a test can wait for them, and changes nothing else. Waits and
// thresholds stay at least two seconds, ranges at least thirty.
func Shorten(rules []byte) []byte {
	return span.ReplaceAllFunc(rules, func(found []byte) []byte {
		parts := span.FindSubmatch(found)
		if len(parts[4]) > 0 {
			long := time.Duration(number(parts[4])*number(parts[5])) * time.Second
			return fmt.Appendf(nil, "%g", shorter(long, leastWait).Seconds())
		}
		least := leastRange
		if string(parts[1]) == "for: " {
			least = leastWait
		}
		unit := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}[string(parts[3])]
		long := time.Duration(number(parts[2])) * unit
		return fmt.Appendf(nil, "%s%dms", parts[1], shorter(long, least).Milliseconds())
	})
}

func shorter(long, least time.Duration) time.Duration { return max(long/factor, least) }

func number(digits []byte) int64 {
	n, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		panic(err) // the expression has found digits
	}
	return n
}
