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
	// DefaultCount is how many records of it are kept for each MachineHealthCheck.
	DefaultCount = 50
	// lastOfEach is how many records of an existing machine or host are kept.
	lastOfEach = 10
)

// Limits say how much history is kept.
type Limits struct {
	// Age is how long an unneeded record is kept after it ended.
	Age time.Duration
	// Count is how many of those are kept for each MachineHealthCheck.
	Count int
}

// OrDefault returns the limits, with the defaults for those that are not set.
func (l Limits) OrDefault() Limits {
	return Limits{Age: cmp.Or(l.Age, DefaultAge), Count: cmp.Or(l.Count, DefaultCount)}
}

// Record is the part of a MachineRemediation that retention depends on.
type Record struct {
	UID types.UID
	// HealthCheck is the UID of the MachineHealthCheck that admitted it.
	HealthCheck types.UID
	Machine     types.UID
	// MachineLives reports that the machine still exists.
	MachineLives bool
	// Host is empty if the machine had none.
	Host      types.UID
	HostLives bool
	// Ordinal numbers the records of its machine.
	Ordinal int
	// Ended is when it ended; zero if it has not.
	Ended time.Time
	// Window is how long it is remembered after that.
	Window time.Duration
}

// DueAt is when a record may expire by age, if it is not needed then; zero if it has not ended.
func (l Limits) DueAt(r Record) time.Time {
	if r.Ended.IsZero() {
		return time.Time{}
	}
	return r.Ended.Add(max(l.Age, r.Window))
}

// Due returns the UIDs of the expired records, oldest first. The records must include all of the machines and MachineHealthChecks
// among them.
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

// needs counts what memory needs, latest first.
type needs struct {
	now time.Time
	// highest is the highest ordinal of each machine.
	highest map[types.UID]int
	// seen is how many records of each machine or host were counted.
	seen map[types.UID]int
}

func newNeeds(records []Record, now time.Time) needs {
	n := needs{now: now, highest: map[types.UID]int{}, seen: map[types.UID]int{}}
	for _, r := range records {
		n.highest[r.Machine] = max(n.highest[r.Machine], r.Ordinal)
	}
	return n
}

// record reports whether memory needs an ended record. Call it with the latest first.
func (n needs) record(r Record) bool {
	n.seen[r.Machine]++
	needed := r.MachineLives && (n.seen[r.Machine] <= lastOfEach || r.Ordinal == n.highest[r.Machine])
	if r.Host != "" {
		n.seen[r.Host]++
		needed = needed || (r.HostLives && n.seen[r.Host] <= lastOfEach)
	}
	return needed || n.now.Before(r.Ended.Add(r.Window))
}
