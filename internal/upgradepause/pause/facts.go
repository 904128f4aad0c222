package pause

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// Facts is everything that a decision depends on, apart from the time.
type Facts struct {
	// Annotations are those of the MachineHealthCheck, as stored.
	Annotations map[string]string
	// Upgrades are those that concern it, also those that have halted.
	Upgrades []Upgrade
	// Unknown are the signals that cannot be read now.
	Unknown []Unknown
	// Excepted says that its Cluster wants nothing to be paused, whatever upgrades.
	Excepted bool
	// Lost says how often the pause for these upgrades was written anew.
	Lost Lost
	// WarnAfter is how long a pause may be before it is spoken of.
	WarnAfter time.Duration
	// Settle says what is waited for when the upgrade is over.
	Settle Settle
	// Restarts says that Sickbay has timeouts for machines of its kind, which count anew when it is resumed.
	Restarts bool
}

// Unknown is a signal that cannot be read.
type Unknown struct {
	// IDs is how the IDs of its upgrades begin: nobody knows which of those go on.
	IDs string
	// Why says why; empty if it has not been read yet, and may be in a moment.
	Why string
}

// Add takes in what a signal says.
func (f *Facts) Add(reading Reading) {
	f.Excepted = f.Excepted || reading.Excepted
	switch {
	case errors.Is(reading.Err, ErrStarting):
		f.Unknown = append(f.Unknown, Unknown{IDs: reading.IDs})
		return
	case reading.Err != nil:
		f.Unknown = append(f.Unknown, Unknown{IDs: reading.IDs, Why: reading.Err.Error()})
	}
	for _, u := range reading.Upgrades {
		if reading.Elsewhere && !slices.Contains(noted(f.Annotations), u.ID) {
			continue
		}
		u.Halted = u.Halted || reading.Elsewhere
		f.Upgrades = append(f.Upgrades, u)
	}
}

// Active names the upgrades that go on, as they are noted.
func (f Facts) Active() string { return *joined(f.active()) }

// Over reports whether nothing but settling is left of our pause.
func (f Facts) Over() bool { return f.state() == over }

// excepted reports whether nothing is to be paused, whatever upgrades.
func (f Facts) excepted() bool { return f.Excepted || f.Annotations[OptionAnnotation] == "false" }

// active are the upgrades that go on, sorted, each once.
func (f Facts) active() []string {
	var ids []string
	for _, u := range f.Upgrades {
		if !u.Halted {
			ids = append(ids, u.ID)
		}
	}
	return union(ids)
}

// undecided are the upgrades that are noted on the MachineHealthCheck and may be over: their signal cannot be read.
func (f Facts) undecided() []string {
	var ids []string
	for _, id := range noted(f.Annotations) {
		if slices.ContainsFunc(f.Unknown, func(u Unknown) bool { return strings.HasPrefix(id, u.IDs) }) {
			ids = append(ids, id)
		}
	}
	return ids
}

// open are the upgrades that go on, and those that may.
func (f Facts) open() []string { return union(f.active(), f.undecided()) }

// lifted are the upgrades of these for which it is not paused again: it has been, and somebody has unpaused it.
func (f Facts) lifted() []string {
	return union(handled(f.Annotations, f.active()), f.following(), f.undecided())
}

// following are the upgrades that go on as a part of one that is noted.
func (f Facts) following() []string {
	before := noted(f.Annotations)
	var ids []string
	for _, u := range f.Upgrades {
		if !u.Halted && u.follows(before) {
			ids = append(ids, u.ID)
		}
	}
	return ids
}

// withHalted adds to some upgrades those that have halted and are noted on the MachineHealthCheck, or are a part of one that is
// noted or to be noted: an override of the whole holds for that part when it goes on.
func (f Facts) withHalted(ids []string) []string {
	known := union(noted(f.Annotations), ids)
	all := slices.Clone(ids)
	for _, u := range f.Upgrades {
		if u.Halted && (slices.Contains(known, u.ID) || u.follows(known)) {
			all = append(all, u.ID)
		}
	}
	return union(all)
}

// stuck reports whether one of the upgrades does not get on.
func (f Facts) stuck() bool {
	return slices.ContainsFunc(f.Upgrades, func(u Upgrade) bool { return !u.Halted && u.Stuck != "" })
}

// unrecorded reports whether the marker is there without a record of what it is for.
func (f Facts) unrecorded() bool {
	_, marked := f.Annotations[MarkerAnnotation]
	_, recorded := f.Annotations[HandledAnnotation]
	return marked && !recorded
}

func union(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

func joined(ids []string) *string { return new(strings.Join(ids, ",")) }
