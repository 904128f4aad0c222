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
	// Excepted means that its Cluster excepts it from all pauses for upgrades. MayBeExcepted means that this will be known in a moment.
	Excepted, MayBeExcepted bool
	// Drains means that Sickbay hands everything back.
	Drains bool
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

// concerns reports whether one of these upgrades may go on.
func (u Unknown) concerns(ids ...string) bool {
	return slices.ContainsFunc(ids, func(id string) bool { return strings.HasPrefix(id, u.IDs) })
}

// Add adds what a signal reports.
func (f *Facts) Add(reading Reading) {
	f.Excepted, f.MayBeExcepted = f.Excepted || reading.Excepted, f.MayBeExcepted || reading.MayBeExcepted
	f.Upgrades = append(f.Upgrades, reading.Upgrades...)
	switch {
	case errors.Is(reading.Err, ErrStarting):
		f.Unknown = append(f.Unknown, Unknown{IDs: reading.IDs})
	case reading.Err != nil:
		f.Unknown = append(f.Unknown, Unknown{IDs: reading.IDs, Why: reading.Err.Error()})
	}
}

// Over reports whether the upgrades are over and our pause only has to settle.
func (f Facts) Over() bool { return f.state() == over }

// excepted reports whether the MachineHealthCheck is excepted from all pauses for upgrades.
func (f Facts) excepted() bool { return f.Excepted || f.Annotations[OptionAnnotation] == "false" }

// active returns the upgrades that go on.
func (f Facts) active() []string {
	var ids []string
	for _, u := range f.Upgrades {
		if !u.Halted {
			ids = append(ids, u.ID)
		}
	}
	return ids
}

// going returns the upgrades that go on, and the noted ones that may go on.
func (f Facts) going() []string {
	return append(f.active(), slices.DeleteFunc(noted(f.Annotations), func(id string) bool { return !f.mayGoOn(id) })...)
}

// mayGoOn reports whether nobody knows if an upgrade is over.
func (f Facts) mayGoOn(id string) bool {
	return slices.ContainsFunc(f.Unknown, func(u Unknown) bool { return u.concerns(id) })
}

// notOver returns those of some upgrades that go on, may go on or have halted, and their parts that do: what holds for the whole upgrade
// holds for these, too. They are sorted and without duplicates.
func (f Facts) notOver(ids []string) []string {
	open := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !f.mayGoOn(id) })
	for _, u := range f.Upgrades {
		if slices.Contains(ids, u.ID) || u.follows(ids) {
			open = append(open, u.ID)
		}
	}
	slices.Sort(open)
	return slices.Compact(open)
}

// record returns the upgrades to note beside a pause: those that go on, and those noted before that are not over.
func (f Facts) record() []string { return f.notOver(append(noted(f.Annotations), f.active()...)) }

// overridden returns the upgrades that do not pause the MachineHealthCheck again, because it was paused for them and somebody unpaused
// it. A marker without a pause and without a record is how the proposal records that.
func (f Facts) overridden() []string {
	if f.unrecorded() {
		return f.notOver(f.active())
	}
	return f.notOver(noted(f.Annotations))
}

// lifted reports whether one of the overridden upgrades goes on, or may go on.
func (f Facts) lifted() bool {
	going := f.going()
	return slices.ContainsFunc(f.overridden(), func(id string) bool { return slices.Contains(going, id) })
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
