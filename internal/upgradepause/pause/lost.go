package pause

import "time"

const (
	// mostAnew is how often a pause is written anew for the same upgrades before that is done less and less often.
	mostAnew = 3
	// shortTruce is how long a pause is not written anew then; it doubles up to longTruce.
	shortTruce = time.Minute
	longTruce  = 10 * time.Minute
)

// Lost says how often a MachineHealthCheck has lost all that a pause had written, although the upgrade went on. A program that
// replaces all annotations takes them away each time.
type Lost struct {
	// Count is how often the pause was written anew.
	Count int
	// At is when it was written last.
	At time.Time
}

// truce is when a pause may be written anew; zero if at once.
func (l Lost) truce() time.Time {
	if l.Count < mostAnew {
		return time.Time{}
	}
	wait := shortTruce
	for range l.Count - mostAnew {
		wait = min(2*wait, longTruce)
	}
	return l.At.Add(wait)
}
