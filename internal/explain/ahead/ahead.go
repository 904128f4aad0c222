// Package ahead plays a MachineHealthCheck forward, in which nothing but time passes: what is asked for stays unanswered, and slots become free when
// the time of their repairs is up. It is pure, and repeats the decisions of the controllers.
package ahead

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// maxLooks bounds how many moments ahead to look for an admission. A moment may change nothing.
const maxLooks = 24

// Admitted is a machine that is admitted.
type Admitted struct {
	admission.Admission
	At time.Time
	// Step is the step that begins.
	Step string
	// After are the machines whose repairs or deletions give back a slot at that moment, or whose repairs end; none if time alone admits this one.
	After []string
	// Ended reports that these repairs end, and are not only given up for now.
	Ended bool
}

// Admissions returns which machines are admitted, now or later, and when. Open are the open records of the MachineHealthCheck.
func Admissions(facts admission.Facts, decision admission.Decision, open []ladder.Facts, now time.Time) []Admitted {
	w := &world{facts: facts, decision: decision, now: now, known: map[string]bool{}}
	w.follow(open)
	w.admit(outcome{})
	if len(decision.Waiting) > 0 {
		w.pass()
	}
	for range maxLooks {
		if w.now = w.next(); w.now.IsZero() {
			break
		}
		w.pass()
	}
	return w.admitted
}

// world is a MachineHealthCheck at a moment.
type world struct {
	facts    admission.Facts
	decision admission.Decision
	repairs  []*repair
	now      time.Time
	// known are the machines that have been admitted. They keep their slots, since nobody knows what becomes of them.
	known    map[string]bool
	admitted []Admitted

	records, history versions
}

// follow adds repairs, whose time may be up.
func (w *world) follow(open []ladder.Facts) {
	w.facts.Records, w.facts.History, w.facts.Targets = slices.Clone(w.facts.Records), slices.Clone(w.facts.History), slices.Clone(w.facts.Targets)
	w.records, w.history = versionsOf(w.facts.Records), versionsOf(w.facts.History)
	for i := range open {
		w.repairs = append(w.repairs, &repair{facts: open[i], due: w.now})
	}
}

// pass decides at a moment: first on the repairs that are due, and then on admissions.
func (w *world) pass() {
	gone, changed := w.settle()
	if due := w.decision.RecheckAt; !changed && (due.IsZero() || due.After(w.now)) {
		return
	}
	before := w.decision.InFlight
	w.decision = admission.Decide(w.facts, w.now)
	w.admit(gone.with(before, w.decision.InFlight))
}

// repair is an open record. Due is when its next decision is; zero if it waits for somebody or something else.
type repair struct {
	facts ladder.Facts
	due   time.Time
}

// outcome is what has happened to repairs at a moment.
type outcome struct {
	after []string
	ended bool
}

// with adds the machines that take no slot any more, although nothing became of a repair: their deletion has had its hour.
func (o outcome) with(before, after map[types.UID]string) outcome {
	for uid, name := range before {
		if _, takes := after[uid]; !takes && !slices.Contains(o.after, name) {
			o = outcome{after: append(o.after, name)}
		}
	}
	slices.Sort(o.after)
	return o
}

// FirstAfter returns the earliest of the times after now; zero if there is none.
func FirstAfter(now time.Time, all ...time.Time) time.Time {
	var first time.Time
	for _, at := range all {
		if at.After(now) {
			first = healthcheck.Earliest(first, at)
		}
	}
	return first
}

// next returns the next moment at which anything may change; zero if nothing changes any more.
func (w *world) next() time.Time {
	at := FirstAfter(w.now, w.decision.RecheckAt)
	if len(w.decision.Waiting) == 0 {
		return at
	}
	for _, r := range w.repairs {
		at = healthcheck.Earliest(at, r.due)
	}
	return at
}

// settle decides on the repairs that are due, and reports whether any has changed.
func (w *world) settle() (gone outcome, changed bool) {
	for _, r := range w.repairs {
		if r.due.IsZero() || r.due.After(w.now) {
			continue
		}
		before := r.facts.Record
		w.settleOne(r)
		after := r.facts.Record
		changed = changed || before != after
		if ended := ladder.Ended(after); ended || ladder.InFlight(before) && !ladder.InFlight(after) {
			gone.ended = ended && (gone.ended || len(gone.after) == 0)
			gone.after = append(gone.after, after.Spec.MachineRef.Name)
		}
	}
	return gone, changed
}

// settleOne decides on a repair until only time can change it, or until it needs somebody else.
func (w *world) settleOne(r *repair) {
	r.due = time.Time{}
	for range ladder.MaxTurns {
		var decision ladder.Decision
		r.facts, decision = Settle(r.facts, w.now)
		w.show(r.facts.Record)
		if decision.Act == ladder.WithdrawMark {
			r.facts.Machine.Mark = ladder.Mark{}
			w.unmark(r.facts.Record.Spec.MachineRef.UID)
			continue
		}
		if decision.Act == ladder.None && decision.RecheckAt.After(w.now) {
			r.due = decision.RecheckAt
		}
		return
	}
}

// Settle decides on a record, as the controller does, until there is nothing left to store.
func Settle(f ladder.Facts, at time.Time) (ladder.Facts, ladder.Decision) {
	decision := ladder.Decision{}
	for range ladder.MaxTurns {
		decision = ladder.Decide(f, at)
		if !decision.Store {
			break
		}
		stored := *f.Record
		stored.Status = decision.Status
		f.Record = &stored
	}
	return f, decision
}
