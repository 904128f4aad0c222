package pause

import (
	"cmp"
	"strings"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// untouched leaves everything as it is.
func untouched(f Facts, now time.Time) Decision {
	if holderOf(f.Annotations) != us {
		return Decision{}
	}
	return paused(f, now)
}

// begin pauses the MachineHealthCheck.
func begin(f Facts, now time.Time) Decision {
	return Decision{Transition: Begin, Changes: difference(f.Annotations, f.pause(now)), Paused: true, PausedAt: now, RecheckAt: now.Add(f.WarnAfter)}
}

// keep keeps our pause, records upgrades that have begun meanwhile, and warns if the pause gets long.
func keep(f Facts, now time.Time) Decision {
	d := paused(f, now)
	warnedAt := timeOf(f.Annotations, WarnedAtAnnotation, now)
	long := d.PausedAt.Add(f.WarnAfter)
	if f.stuck() {
		long, d.Overlong = d.PausedAt, true
	}
	due := healthcheck.Latest(long, warnedAt.Add(warnEvery))
	if !due.After(now) {
		d.Transition = Warn
		warnedAt, due = now, now.Add(warnEvery)
	}
	wanted := f.pause(d.PausedAt)
	if !warnedAt.IsZero() {
		wanted[WarnedAtAnnotation] = format(warnedAt)
	}
	d.Changes, d.RecheckAt = difference(f.Annotations, wanted), due
	return d
}

// paused returns a decision with our pause and its start.
func paused(f Facts, now time.Time) Decision {
	d := Decision{Paused: true, PausedAt: cmp.Or(timeOf(f.Annotations, PausedAtAnnotation, now), now)}
	d.Overlong = now.Sub(d.PausedAt) >= f.WarnAfter
	return d
}

// pause returns the annotations of our pause since a time.
func (f Facts) pause(since time.Time) map[string]*string {
	return map[string]*string{
		clusterv1.PausedAnnotation: new(pausedValue(f.Annotations)),
		MarkerAnnotation:           new(""),
		HandledAnnotation:          joined(f.record()),
		PausedAtAnnotation:         format(since),
	}
}

// end removes all that we wrote and restarts the clocks: a machine that was sick during the upgrade gets its
// full time again. A later time that is stored is by a clock that was ahead.
func end(f Facts, now time.Time) Decision {
	changes := difference(f.Annotations, map[string]*string{clusterv1.PausedAnnotation: releasedValue(f.Annotations)})
	changes[mhcspec.ResumedAtAnnotation] = format(now)
	return Decision{Transition: End, Changes: changes}
}

// drain removes all that we wrote, also beside a pause that somebody has taken over. The pause of another program that follows OpenShift's
// proposal stays. The time at which a pause ended goes, even if somebody else wrote it: it matters only to us.
func drain(f Facts) Decision {
	value, paused := f.Annotations[clusterv1.PausedAnnotation]
	marker, marked := f.Annotations[MarkerAnnotation]
	_, recorded := f.Annotations[HandledAnnotation]
	ours := holderOf(f.Annotations) == us && (recorded || value != "")
	d, wanted := Decision{}, map[string]*string{}
	switch {
	case ours:
		d.Transition, wanted[clusterv1.PausedAnnotation] = End, releasedValue(f.Annotations)
	case paused:
		wanted[clusterv1.PausedAnnotation] = new(value)
	}
	if marked && !recorded && !ours {
		wanted[MarkerAnnotation] = new(marker)
	}
	d.Changes = difference(f.Annotations, wanted)
	if _, resumed := f.Annotations[mhcspec.ResumedAtAnnotation]; resumed {
		d.Changes[mhcspec.ResumedAtAnnotation] = nil
	}
	return d
}

// leave neither pauses nor resumes. It records the upgrades that this holds for, and removes the rest of what
// we wrote.
func leave(f Facts, known []string) Decision {
	wanted := map[string]*string{}
	if value, ok := f.Annotations[clusterv1.PausedAnnotation]; ok {
		wanted[clusterv1.PausedAnnotation] = new(value)
	}
	if len(known) > 0 {
		wanted[HandledAnnotation] = joined(known)
	}
	d := Decision{Changes: difference(f.Annotations, wanted)}
	_, marked := f.Annotations[MarkerAnnotation]
	_, paused := f.Annotations[PausedAtAnnotation]
	if len(known) > 0 && (marked || paused) {
		d.Transition = Overridden
	}
	return d
}

func joined(ids []string) *string { return new(strings.Join(ids, ",")) }
