package healthcheck

import (
	"slices"
	"time"
)

// plan is what has to be written after a run. It is made from values alone.
type plan struct {
	// apply is the complete set of our conditions; it is written if changed, or if no
	// more than a message is another.
	apply             []Condition
	changed, reworded bool
	// remove lists stored conditions that do not apply any more.
	remove []string
	// transitions are the changes of status or reason.
	transitions []Transition
	// progress are the clocks to keep; they are written if changed.
	progress        []Progress
	progressChanged bool
	// failed is what could not be carried out; apply says so too.
	failed error
	// recheckAt is when something changes by itself; zero means never.
	recheckAt time.Time
}

// writes reports whether there is anything to be written.
func (p *plan) writes() bool {
	return p.changed || p.reworded || p.progressChanged || len(p.remove) > 0
}

// decide compares what was found with what is stored. Normalize turns a
// condition into its stored form.
func decide(outcomes []outcome, stored []Condition, progress []Progress, normalize func(Condition) Condition, generation int64, now time.Time) plan {
	var p plan
	for _, o := range outcomes {
		p.progress = append(p.progress, o.progress...)
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

// prune removes conditions that are ours, and of which nobody knows any more.
func (p *plan) prune(types []string, stored []Condition) {
	for _, conditionType := range types {
		p.remove = append(p.remove, conditionType)
		p.transitions = append(p.transitions, Transition{From: *find(stored, conditionType)})
	}
}

func (p *plan) add(o outcome, current *Condition, normalize func(Condition) Condition, generation int64, now time.Time) {
	p.recheckAt = Earliest(p.recheckAt, o.result.NextChange())
	next := normalize(Condition{
		Type: o.conditionType, Status: o.result.Status, Reason: o.result.Reason, Message: o.result.Message,
		Codes: o.result.Codes, ObservedGeneration: generation,
	})
	if o.damped && current != nil {
		// It was found in an earlier generation; of this one it is not true.
		next.ObservedGeneration = current.ObservedGeneration
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
	case current == nil || !current.equalButMessage(next):
		p.changed = true
	case current.Message != next.Message:
		p.reworded = true
	}
	if transition.From.Status != next.Status || transition.From.Reason != next.Reason {
		p.transitions = append(p.transitions, transition)
	}
}
