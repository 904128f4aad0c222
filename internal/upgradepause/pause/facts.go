package pause

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// Facts is everything that a decision depends on, apart from the time.
type Facts struct {
	// Annotations are the stored annotations of the MachineHealthCheck.
	Annotations map[string]string
	// Upgrades are the upgrades that concern it, including halted ones.
	Upgrades []Upgrade
	// Unknown are the signals that cannot be read now.
	Unknown []Unknown
	// Excepted means that its Cluster excepts it from all pauses for upgrades.
	Excepted bool
	// Lost counts how often the pause for these upgrades was lost and written again.
	Lost Lost
	// WarnAfter is how long a pause may last before a warning.
	WarnAfter time.Duration
	// Settle says what the pause waits for after the upgrade.
	Settle Settle
	// Restarts means that Sickbay has timeouts for its machines, and restarts them when it is resumed.
	Restarts bool
}

// Unknown is a signal that cannot be read.
type Unknown struct {
	// IDs is the prefix of the IDs of its upgrades: nobody knows which of them go on.
	IDs string
	// Why says why; empty if the signal has not been read yet and may be readable in a moment.
	Why string
}

// Add adds what a signal reports.
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

// Active returns the IDs of the upgrades that go on, in the format of the annotation.
func (f Facts) Active() string { return *joined(f.active()) }

// Over reports whether the upgrades are over and our pause only has to settle.
func (f Facts) Over() bool { return f.state() == over }

// excepted reports whether the MachineHealthCheck is excepted from all pauses for upgrades.
func (f Facts) excepted() bool { return f.Excepted || f.Annotations[OptionAnnotation] == "false" }

// active returns the upgrades that go on, sorted and without duplicates.
func (f Facts) active() []string {
	var ids []string
	for _, u := range f.Upgrades {
		if !u.Halted {
			ids = append(ids, u.ID)
		}
	}
	return union(ids)
}

// undecided returns the noted upgrades that may be over: their signal cannot be read.
func (f Facts) undecided() []string {
	var ids []string
	for _, id := range noted(f.Annotations) {
		if slices.ContainsFunc(f.Unknown, func(u Unknown) bool { return strings.HasPrefix(id, u.IDs) }) {
			ids = append(ids, id)
		}
	}
	return ids
}

// open returns the upgrades that go on, and those that may go on.
func (f Facts) open() []string { return union(f.active(), f.undecided()) }

// lifted returns the open upgrades that do not pause it again, because it was paused for them and somebody unpaused it.
func (f Facts) lifted() []string {
	return union(handled(f.Annotations, f.active()), f.following(), f.undecided())
}

// following returns the upgrades that go on as part of a noted one.
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

// withHalted adds halted upgrades to ids: those that are noted on the MachineHealthCheck, and those that are part of an upgrade
// that is noted or in ids. So an override of the whole upgrade also holds for that part when it goes on.
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

// stuck reports whether one of the upgrades makes no progress.
func (f Facts) stuck() bool {
	return slices.ContainsFunc(f.Upgrades, func(u Upgrade) bool { return !u.Halted && u.Stuck != "" })
}

// unrecorded reports whether the marker is there without a record of its upgrades.
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
