package pause

import "time"

const (
	// mostAnew is how often Sickbay rewrites a lost pause for the same upgrades without a delay.
	mostAnew = 3
	// shortTruce is the first delay after that; it doubles up to longTruce.
	shortTruce = time.Minute
	longTruce  = 10 * time.Minute
)

// Lost counts how often a MachineHealthCheck lost all annotations of a pause while the upgrade went on. A program that
// replaces all annotations removes them each time.
type Lost struct {
	// Count is how often the pause was written again.
	Count int
	// At is when it was last written.
	At time.Time
}

// truce returns when a lost pause may be written again; zero means at once.
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
