package upgradepause

import (
	"slices"
	"strings"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
)

const (
	// warnEvery is how often a pause that is too long is spoken of.
	warnEvery = time.Hour
	// lookAgain is when a signal that cannot be read is tried again, and lookSoon when one that
	// has just been started is. Neither is needed if the signal speaks by itself.
	lookAgain = 30 * time.Second
	lookSoon  = 250 * time.Millisecond
)

// Facts is everything that a decision depends on, apart from the time.
type Facts struct {
	// Annotations are those of the MachineHealthCheck, as stored.
	Annotations map[string]string
	// Upgrades are those that concern it.
	Upgrades []Upgrade
	// Unreadable says why a signal cannot be read; empty if all could. Starting says that one has not
	// been read yet.
	Unreadable string
	Starting   bool
	// WarnAfter is how long a pause may be before it is spoken of.
	WarnAfter time.Duration
}

// Transition is what a decision does to a MachineHealthCheck.
type Transition int

// The transitions.
const (
	// None: nothing, or nothing that anybody need hear of.
	None Transition = iota
	// Pause it.
	Pause
	// Resume it, and restart the clocks.
	Resume
	// Overridden: somebody has unpaused it, or taken the pause over. That is noted.
	Overridden
	// Warn: it stays paused, for too long.
	Warn
)

// Decision is what to do, and when it may change by itself.
type Decision struct {
	Transition Transition
	// Changes to the annotations; nil removes one. Empty is nothing to write.
	Changes map[string]*string
	// Paused tells whether it is paused by us afterwards, PausedAt since when, and Overlong that
	// this is too long.
	Paused   bool
	PausedAt time.Time
	Overlong bool
	// RecheckAt is when to look again though nothing happens; zero is never.
	RecheckAt time.Time
}

// Decide looks at one MachineHealthCheck.
func Decide(f Facts, now time.Time) Decision {
	if f.Starting || f.Unreadable != "" {
		return hold(f, now)
	}
	now = now.Truncate(time.Second) // as it is stored
	active := activeIDs(f.Upgrades)
	holder, known := holderOf(f.Annotations), handled(f.Annotations, active)
	excepted := f.Annotations[OptionAnnotation] == "false"
	switch {
	case holder == us && (excepted || len(active) == 0):
		return resume(f, now)
	case holder == us:
		return keep(f, active, now)
	case holder == somebody, excepted, len(active) == 0, len(known) > 0:
		// Who unpaused it for one upgrade is not overruled while that lasts, whatever else begins.
		return leave(f, known)
	default:
		return pause(f, active, now)
	}
}

// hold does nothing, since it is not known whether an upgrade is going on.
func hold(f Facts, now time.Time) Decision {
	d := Decision{Paused: holderOf(f.Annotations) == us, RecheckAt: now.Add(lookAgain)}
	if d.Paused {
		d.PausedAt = timeOf(f.Annotations, PausedAtAnnotation)
		d.Overlong = !d.PausedAt.IsZero() && now.Sub(d.PausedAt) >= f.WarnAfter
	}
	if f.Starting {
		d.RecheckAt = now.Add(lookSoon)
	}
	return d
}

func pause(f Facts, active []string, now time.Time) Decision {
	changes := difference(f.Annotations, desired(f, map[string]*string{
		clusterv1.PausedAnnotation: new(pausedValue(f.Annotations)),
		MarkerAnnotation:           new(""),
		HandledAnnotation:          joined(active),
		PausedAtAnnotation:         format(now),
	}))
	return Decision{Transition: Pause, Changes: changes, Paused: true, PausedAt: now, RecheckAt: now.Add(f.WarnAfter)}
}

// keep leaves our pause, notes upgrades that have begun meanwhile, and speaks of it when it gets long.
func keep(f Facts, active []string, now time.Time) Decision {
	// Another clock may have been ahead of ours.
	d := Decision{Paused: true, PausedAt: earlier(now, timeOf(f.Annotations, PausedAtAnnotation))}
	if d.PausedAt.IsZero() {
		d.PausedAt = now
	}
	warnedAt := earlier(now, timeOf(f.Annotations, WarnedAtAnnotation))
	due := later(d.PausedAt.Add(f.WarnAfter), warnedAt.Add(warnEvery))
	d.Overlong = now.Sub(d.PausedAt) >= f.WarnAfter
	if !due.After(now) {
		d.Transition = Warn
		warnedAt, due = now, now.Add(warnEvery)
	}
	wanted := map[string]*string{
		clusterv1.PausedAnnotation: new(pausedValue(f.Annotations)),
		MarkerAnnotation:           new(""),
		HandledAnnotation:          joined(active),
		PausedAtAnnotation:         format(d.PausedAt),
	}
	if !warnedAt.IsZero() {
		wanted[WarnedAtAnnotation] = format(warnedAt)
	}
	d.Changes, d.RecheckAt = difference(f.Annotations, desired(f, wanted)), due
	return d
}

// resume takes back everything, and restarts the clocks: whatever was sick during the upgrade
// gets its full time again.
func resume(f Facts, now time.Time) Decision {
	return Decision{Transition: Resume, Changes: difference(f.Annotations, map[string]*string{
		clusterv1.PausedAnnotation:        releasedValue(f.Annotations),
		machinehealth.ResumedAtAnnotation: format(later(now, timeOf(f.Annotations, machinehealth.ResumedAtAnnotation))),
	})}
}

// leave pauses nothing and resumes nothing. It notes which upgrades that holds for, and takes the
// rest of what we wrote away.
func leave(f Facts, known []string) Decision {
	wanted := map[string]*string{}
	if value, ok := f.Annotations[clusterv1.PausedAnnotation]; ok {
		wanted[clusterv1.PausedAnnotation] = new(value)
	}
	if len(known) > 0 {
		wanted[HandledAnnotation] = joined(known)
	}
	d := Decision{Changes: difference(f.Annotations, desired(f, wanted))}
	_, marked := f.Annotations[MarkerAnnotation]
	_, paused := f.Annotations[PausedAtAnnotation]
	if len(known) > 0 && (marked || paused) {
		d.Transition = Overridden
	}
	return d
}

// desired adds to wanted what is never changed but by resuming.
func desired(f Facts, wanted map[string]*string) map[string]*string {
	if value, ok := f.Annotations[machinehealth.ResumedAtAnnotation]; ok {
		wanted[machinehealth.ResumedAtAnnotation] = new(value)
	}
	return wanted
}

// activeIDs are those of upgrades, sorted, each once.
func activeIDs(upgrades []Upgrade) []string {
	var ids []string
	for _, u := range upgrades {
		ids = append(ids, u.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func joined(ids []string) *string { return new(strings.Join(ids, ",")) }

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
