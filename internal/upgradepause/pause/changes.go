package pause

import (
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// untouched leaves everything as it is.
func untouched(f Facts, now time.Time) Decision {
	d := Decision{Paused: holderOf(f.Annotations) == us}
	if d.Paused {
		d.PausedAt = timeOf(f.Annotations, PausedAtAnnotation)
		d.Overlong = !d.PausedAt.IsZero() && now.Sub(d.PausedAt) >= f.WarnAfter
	}
	return d
}

// begin pauses the MachineHealthCheck, unless it has lost its pause too often.
func begin(f Facts, now time.Time) Decision {
	if truce := f.Lost.truce(); now.Before(truce) {
		return Decision{Fought: true, RecheckAt: truce}
	}
	changes := difference(f.Annotations, desired(f, map[string]*string{
		clusterv1.PausedAnnotation: new(pausedValue(f.Annotations)),
		MarkerAnnotation:           new(""),
		HandledAnnotation:          joined(f.withHalted(f.active())),
		PausedAtAnnotation:         format(now),
	}))
	return Decision{Transition: Begin, Changes: changes, Paused: true, PausedAt: now, RecheckAt: now.Add(f.WarnAfter)}
}

// keep keeps our pause, records upgrades that have begun meanwhile, and warns if the pause gets long.
func keep(f Facts, now time.Time) Decision {
	d := paused(f, now)
	warnedAt := earlier(now, timeOf(f.Annotations, WarnedAtAnnotation))
	long := d.PausedAt.Add(f.WarnAfter)
	if f.stuck() {
		long, d.Overlong = d.PausedAt, true
	}
	due := healthcheck.Latest(long, warnedAt.Add(warnEvery))
	if !due.After(now) {
		d.Transition = Warn
		warnedAt, due = now, now.Add(warnEvery)
	}
	wanted := map[string]*string{
		clusterv1.PausedAnnotation: new(pausedValue(f.Annotations)),
		MarkerAnnotation:           new(""),
		HandledAnnotation:          joined(f.withHalted(f.open())),
		PausedAtAnnotation:         format(d.PausedAt),
	}
	if !warnedAt.IsZero() {
		wanted[WarnedAtAnnotation] = format(warnedAt)
	}
	d.Changes, d.RecheckAt = difference(f.Annotations, desired(f, wanted)), due
	return d
}

// paused returns a decision with our pause and its start.
func paused(f Facts, now time.Time) Decision {
	// Another machine's clock may have been ahead of ours.
	d := Decision{Paused: true, PausedAt: earlier(now, timeOf(f.Annotations, PausedAtAnnotation))}
	if d.PausedAt.IsZero() {
		d.PausedAt = now
	}
	d.Overlong = now.Sub(d.PausedAt) >= f.WarnAfter
	return d
}

// end removes all that we wrote and restarts the clocks: a machine that was sick during the upgrade gets its
// full time again. A later time that is stored is by a clock that was ahead.
func end(f Facts, now time.Time) Decision {
	return Decision{Transition: End, Changes: difference(f.Annotations, map[string]*string{
		clusterv1.PausedAnnotation:  releasedValue(f.Annotations),
		mhcspec.ResumedAtAnnotation: format(now),
	})}
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
	d := Decision{Changes: difference(f.Annotations, desired(f, wanted))}
	_, marked := f.Annotations[MarkerAnnotation]
	_, paused := f.Annotations[PausedAtAnnotation]
	if len(known) > 0 && (marked || paused) {
		d.Transition = Overridden
	}
	return d
}

// desired adds to wanted the annotation that only a resume changes.
func desired(f Facts, wanted map[string]*string) map[string]*string {
	if value, ok := f.Annotations[mhcspec.ResumedAtAnnotation]; ok {
		wanted[mhcspec.ResumedAtAnnotation] = new(value)
	}
	return wanted
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
