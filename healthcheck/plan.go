package healthcheck

import (
	"errors"
	"slices"
	"time"
)

// plan is what to write after a run. It is plain data.
type plan struct {
	// apply is the complete set of our conditions. Only changed must be written at once. Restated
	// means that a reason changed but no status, and reworded that only a message changed; both may
	// wait.
	apply []Condition
	// judged are the types of those in apply that this run has judged; the others are as they were stored.
	judged                      []string
	changed, restated, reworded bool
	// remove lists stored conditions that no longer apply.
	remove []string
	// transitions are the changes of status or reason.
	transitions []Transition
	// progress holds the clocks to keep, to be written if progressChanged.
	progress        []Progress
	progressChanged bool
	// counts are the counts of Damping that only memory keeps.
	counts []Progress
	// failed joins the errors of what could not be carried out; apply says so too.
	failed error
	// later joins the LaterErrors that postpone conditions.
	later error
	// kept holds the results of checks to reuse.
	kept []keptResult
	// recheckAt is when something changes by itself; zero means never.
	recheckAt time.Time
}

// writes reports whether there is anything to write.
func (p *plan) writes() bool {
	return p.applies() || p.progressChanged || len(p.remove) > 0
}

// applies reports whether there are conditions to write.
func (p *plan) applies() bool { return p.changed || p.restated || p.reworded }

// decide compares the findings with the stored conditions, and returns the plan. It is pure, and so
// is normalize, which returns the stored form of a condition.
func decide(outcomes []outcome, stored []Condition, progress []Progress, normalize func(Condition) Condition, generation int64, now time.Time) plan {
	var p plan
	for _, o := range outcomes {
		p.progress, p.kept = append(p.progress, o.progress...), append(p.kept, o.kept...)
		p.counts = append(p.counts, o.counts...)
		p.later, p.failed = errors.Join(p.later, o.later), errors.Join(p.failed, o.err)
		p.recheckAt = Earliest(p.recheckAt, o.due)
		current := find(stored, o.conditionType)
		switch o.applicability {
		case LeaveAlone:
			if current != nil {
				p.apply = append(p.apply, *current)
			}
		case DoesNotApply:
			p.recheckAt = Earliest(p.recheckAt, o.result.NextChange())
			if current != nil {
				p.remove = append(p.remove, o.conditionType)
				p.transitions = append(p.transitions, Transition{From: *current})
			}
		case Applies:
			p.add(o, current, normalize, generation, now)
		}
	}
	slices.SortFunc(p.progress, comparePerCheck)
	p.progressChanged = !slices.EqualFunc(p.progress, progress, func(a, b Progress) bool { return comparePerCheck(a, b) == 0 })
	return p
}

// prune adds the removal of conditions that we wrote and that are no longer registered.
func (p *plan) prune(types []string, stored []Condition) {
	for _, conditionType := range types {
		p.remove = append(p.remove, conditionType)
		p.transitions = append(p.transitions, Transition{From: *find(stored, conditionType)})
	}
}

// add adds a condition that applies, and its transition.
func (p *plan) add(o outcome, current *Condition, normalize func(Condition) Condition, generation int64, now time.Time) {
	p.recheckAt = Earliest(p.recheckAt, o.result.NextChange())
	next := normalize(Condition{
		Type: o.conditionType, Status: o.asStored(), Reason: o.result.Reason, Message: o.result.Message,
		Codes: o.result.Codes, ObservedGeneration: generation,
	})
	if o.isStored {
		// It was found for an earlier generation, and does not hold for this one.
		next.ObservedGeneration = o.observed
	}
	next.LastTransitionTime = now.Truncate(time.Second)
	transition := Transition{To: next, Result: o.result}
	if current != nil {
		transition.From = *current
	}
	if transition.From.Status == next.Status {
		next.LastTransitionTime = transition.From.LastTransitionTime
		transition.To = next
	}
	p.apply = append(p.apply, next)
	switch {
	case current == nil || !current.equalButWords(next):
		p.changed = true
	case !current.equalButMessage(next):
		p.restated = true
	case current.Message != next.Message:
		p.reworded = true
	}
	if transition.From.Status != next.Status || transition.From.Reason != next.Reason {
		p.transitions = append(p.transitions, transition)
	}
}
