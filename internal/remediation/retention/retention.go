package retention

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const (
	// DefaultAge is how long history is kept.
	DefaultAge = 7 * 24 * time.Hour
	// DefaultCount is how much of it is kept for each MachineHealthCheck.
	DefaultCount = 50
	// lastOfEach is how many records of a machine or host are kept as long as it is there.
	lastOfEach = 10
)

// Limits say how much history is kept.
type Limits struct {
	// Age is how long a record is kept that nothing depends on, counted from when it ended.
	Age time.Duration
	// Count is how many of those are kept for each MachineHealthCheck.
	Count int
}

// OrDefault returns the limits, and the defaults for those that are not set.
func (l Limits) OrDefault() Limits {
	return Limits{Age: cmp.Or(l.Age, DefaultAge), Count: cmp.Or(l.Count, DefaultCount)}
}

// Record is what matters of a MachineRemediation.
type Record struct {
	UID types.UID
	// HealthCheck is the UID of the MachineHealthCheck that admitted it.
	HealthCheck types.UID
	Machine     types.UID
	// MachineLives reports that the machine is still there.
	MachineLives bool
	// Host is empty if the machine had none.
	Host      types.UID
	HostLives bool
	// Ordinal is which record of its machine it is.
	Ordinal int
	// Ended is when it ended; zero if it has not.
	Ended time.Time
	// Window is for how long it is remembered after that.
	Window time.Duration
}

// DueAt is when a record may go because of its age, if nothing depends on it then; zero if it has not ended.
func (l Limits) DueAt(r Record) time.Time {
	if r.Ended.IsZero() {
		return time.Time{}
	}
	return r.Ended.Add(max(l.Age, r.Window))
}

// Due returns the UIDs of the records that go, the oldest first. The records are all those of the machines and
// MachineHealthChecks among them.
func (l Limits) Due(records []Record, now time.Time) []types.UID {
	latestFirst := slices.Clone(records)
	slices.SortFunc(latestFirst, func(a, b Record) int {
		return cmp.Or(b.Ended.Compare(a.Ended), cmp.Compare(b.Ordinal, a.Ordinal), cmp.Compare(a.UID, b.UID))
	})
	needed := newNeeds(records, now)
	kept := map[types.UID]int{}
	var due []types.UID
	for _, r := range latestFirst {
		if r.Ended.IsZero() || needed.record(r) {
			continue
		}
		if now.Before(l.DueAt(r)) && kept[r.HealthCheck] < l.Count {
			kept[r.HealthCheck]++
			continue
		}
		due = append(due, r.UID)
	}
	slices.Reverse(due)
	return due
}

// needs counts what memory needs, the latest first.
type needs struct {
	now time.Time
	// highest is the highest ordinal of each machine.
	highest map[types.UID]int
	// seen is how many records of each machine or host were met.
	seen map[types.UID]int
}

func newNeeds(records []Record, now time.Time) needs {
	n := needs{now: now, highest: map[types.UID]int{}, seen: map[types.UID]int{}}
	for _, r := range records {
		n.highest[r.Machine] = max(n.highest[r.Machine], r.Ordinal)
	}
	return n
}

// record reports whether memory needs a record that has ended. They come the latest first.
func (n needs) record(r Record) bool {
	n.seen[r.Machine]++
	needed := r.MachineLives && (n.seen[r.Machine] <= lastOfEach || r.Ordinal == n.highest[r.Machine])
	if r.Host != "" {
		n.seen[r.Host]++
		needed = needed || (r.HostLives && n.seen[r.Host] <= lastOfEach)
	}
	return needed || n.now.Before(r.Ended.Add(r.Window))
}
