package healthcheck

import (
	"errors"
	"slices"
	"time"
)

// plan is what has to be written after a run. It is made from values alone.
type plan struct {
	// apply is the complete set of our conditions. It is written if changed; if restated, as
	// a status has another reason, or reworded, as nothing but a message is another, that may wait.
	apply                       []Condition
	changed, restated, reworded bool
	// remove lists stored conditions that do not apply any more.
	remove []string
	// transitions are the changes of status or reason.
	transitions []Transition
	// progress are the clocks to keep; they are written if changed.
	progress        []Progress
	progressChanged bool
	// failed is what could not be carried out; apply says so too.
	failed error
	// later joins the LaterErrors that put conditions off.
	later error
	// kept are the results of checks to use again.
	kept []keptResult
	// recheckAt is when something changes by itself; zero means never.
	recheckAt time.Time
}

// writes reports whether there is anything to be written.
func (p *plan) writes() bool {
	return p.applies() || p.progressChanged || len(p.remove) > 0
}

// applies reports whether conditions are to be written.
func (p *plan) applies() bool { return p.changed || p.restated || p.reworded }

// decide compares what was found with what is stored, and returns the complete plan of it. It
// is pure, as normalize is, which turns a condition into its stored form.
func decide(outcomes []outcome, stored []Condition, progress []Progress, normalize func(Condition) Condition, generation int64, now time.Time) plan {
	var p plan
	for _, o := range outcomes {
		p.progress, p.kept = append(p.progress, o.progress...), append(p.kept, o.kept...)
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

// prune adds the removal of conditions that we wrote, and that are registered no more.
func (p *plan) prune(types []string, stored []Condition) {
	for _, conditionType := range types {
		p.remove = append(p.remove, conditionType)
		p.transitions = append(p.transitions, Transition{From: *find(stored, conditionType)})
	}
}

// add adds a condition that applies, and what has changed of it.
func (p *plan) add(o outcome, current *Condition, normalize func(Condition) Condition, generation int64, now time.Time) {
	p.recheckAt = Earliest(p.recheckAt, o.result.NextChange())
	next := normalize(Condition{
		Type: o.conditionType, Status: o.asStored(), Reason: o.result.Reason, Message: o.result.Message,
		Codes: o.result.Codes, ObservedGeneration: generation,
	})
	if o.isStored {
		// It was found of an earlier generation; of this one it is not true.
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
