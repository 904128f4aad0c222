package upgradepause

import (
	"slices"
	"strings"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
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
}

// Unknown is a signal that cannot be read.
type Unknown struct {
	// IDs is how the IDs of its upgrades begin: nobody knows which of those go on.
	IDs string
	// Why says why; empty if it has not been read yet, and may be in a moment.
	Why string
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
	// StaySettling: the upgrade is over, and it stays paused until its Nodes are Ready.
	StaySettling
)

// Decision is what to do, and when it may change by itself.
type Decision struct {
	Transition Transition
	// Changes to the annotations; nil removes one. Empty is nothing to write.
	Changes map[string]*string
	// Paused reports whether it is paused by us afterwards, PausedAt since when, and Overlong that
	// this is too long.
	Paused   bool
	PausedAt time.Time
	Overlong bool
	// Fought says that a pause is not written anew for now: somebody takes it away each time.
	Fought bool
	// RecheckAt is when to look again though nothing happens; zero is never.
	RecheckAt time.Time
}

// Decide looks at one MachineHealthCheck. A signal that cannot be read holds up nothing but the end of its own upgrades.
func Decide(f Facts, now time.Time) Decision {
	d := f.decide(now.Truncate(time.Second)) // as it is stored
	for _, unknown := range f.Unknown {
		wait := lookAgain
		if unknown.Why == "" {
			wait = lookSoon
		}
		d.RecheckAt = healthcheck.Earliest(d.RecheckAt, now.Add(wait))
	}
	return d
}

func (f Facts) decide(now time.Time) Decision {
	active, undecided := f.ids(false), f.undecided()
	holder, known := holderOf(f.Annotations), union(handled(f.Annotations, active), f.following())
	excepted := f.excepted()
	switch {
	case holder == us && excepted:
		return resume(f, now)
	case len(f.Unknown) > 0 && f.unrecorded():
		// Another program has marked it, for upgrades that nobody can name now.
		return untouched(f, now)
	case holder == us && len(active)+len(undecided) == 0:
		return settle(f, now)
	case holder == us:
		return keep(f, f.withHalted(union(active, undecided)), now)
	case holder == somebody && !excepted:
		// Noted, so that whoever lifts that pause during the upgrade is not overruled.
		return leave(f, f.withHalted(union(active, undecided)))
	case excepted, len(active) == 0, len(known)+len(undecided) > 0:
		// Who unpaused it for one upgrade is not overruled while that goes on, whatever else begins.
		return leave(f, f.withHalted(union(known, undecided)))
	default:
		return pause(f, f.withHalted(active), now)
	}
}

// excepted reports whether nothing is to be paused, whatever upgrades.
func (f Facts) excepted() bool { return f.Excepted || f.Annotations[OptionAnnotation] == "false" }

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

// untouched leaves everything as it is.
func untouched(f Facts, now time.Time) Decision {
	d := Decision{Paused: holderOf(f.Annotations) == us}
	if d.Paused {
		d.PausedAt = timeOf(f.Annotations, PausedAtAnnotation)
		d.Overlong = !d.PausedAt.IsZero() && now.Sub(d.PausedAt) >= f.WarnAfter
	}
	return d
}

func pause(f Facts, active []string, now time.Time) Decision {
	if truce := f.Lost.truce(); now.Before(truce) {
		return Decision{Fought: true, RecheckAt: truce}
	}
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
	d := paused(f, now)
	warnedAt := earlier(now, timeOf(f.Annotations, WarnedAtAnnotation))
	long := d.PausedAt.Add(f.WarnAfter)
	if f.stuck() {
		long, d.Overlong = d.PausedAt, true
	}
	due := later(long, warnedAt.Add(warnEvery))
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

// paused says since when it is paused by us.
func paused(f Facts, now time.Time) Decision {
	// Another clock may have been ahead of ours.
	d := Decision{Paused: true, PausedAt: earlier(now, timeOf(f.Annotations, PausedAtAnnotation))}
	if d.PausedAt.IsZero() {
		d.PausedAt = now
	}
	d.Overlong = now.Sub(d.PausedAt) >= f.WarnAfter
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

// ids are those of the upgrades that go on, or of those that have halted, sorted, each once.
func (f Facts) ids(halted bool) []string {
	var ids []string
	for _, u := range f.Upgrades {
		if u.Halted == halted {
			ids = append(ids, u.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func union(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
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
