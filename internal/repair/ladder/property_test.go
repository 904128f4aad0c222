package ladder

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestWhateverHappens lets everything happen in any order. No rule of safety is ever broken; and when the faults are over, the
// record comes to an end, waits for a person, or goes on trying.
func TestWhateverHappens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newModel(t, anyPlan(t))
		kinds := [][]event{aboutMachine, aboutRequest, aboutSafety, aboutPeople}
		if rapid.IntRange(0, 2).Draw(t, "ends") == 0 {
			kinds = append(kinds, aboutEnd)
		}
		for range rapid.SampledFrom([]int{5, 10, 20, 40, 80}).Draw(t, "turns") {
			w.happen(kinds...)
			d := w.settle()
			w.wait(d)
		}
		w.heal()
		w.goOn(rapid.SampledFrom([]Health{Sick, Sick, Healthy}).Draw(t, "in the end"))
	})
}

// wait lets time pass, at times just until the record wants to look again.
func (w *model) wait(d Decision) {
	switch rapid.SampledFrom([]string{"no", "no", "a bit", "until due", "long"}).Draw(w.t, "wait") {
	case "a bit":
		w.now = w.now.Add(rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, 7 * time.Minute}).Draw(w.t, "bit"))
	case "until due":
		if d.RecheckAt.After(w.now) {
			w.now = d.RecheckAt
		}
	case "long":
		w.now = w.now.Add(rapid.SampledFrom([]time.Duration{time.Hour, 48 * time.Hour}).Draw(w.t, "long"))
	}
}

// heal takes away everything that keeps the record from going on.
func (w *model) heal() {
	w.logf("* all is healed")
	w.f.Safety, w.refuse, w.f.JumpTo, w.late = Safety{}, "", "", nil
	if w.f.Machine.Deleting() {
		w.gone()
	}
	if r := w.f.Request; r != nil && (r.Deleting || r.OperationID == "") {
		w.f.Request = nil
	}
	w.request(func(r *Request) {
		r.Unreadable, r.Kept = "", ""
		if r.BeganAt.IsZero() && rapid.Bool().Draw(w.t, "begins") {
			r.BeganAt = w.now
		}
	})
	if m := &w.f.Machine.Mark; m.Ours && m.Stands() {
		m.State = rapid.SampledFrom([]MarkState{MarkWaiting, MarkAnswered}).Draw(w.t, "mark")
	} else {
		w.taken = w.taken || m.Stands()
		*m = Mark{}
	}
}

// goOn lets time pass in a model in which nothing else happens. The machine stays as it is.
func (w *model) goOn(health Health) {
	w.f.Machine.Health = health
	begun := w.f.Record.Status.Attempt
	for range 400 {
		w.settle()
		granted := w.grant()
		d := w.settle()
		if w.closed {
			return
		}
		phase, reason := w.f.Record.Status.Phase, Progress(&w.f.Record.Status).Reason
		if health == Sick && (phase == v1alpha1.RemediationHeld || reason == v1alpha1.ReasonApprovalRequired) {
			return
		}
		if w.f.Record.Status.Attempt > begun+25 || (w.goesOnAsking() && d.RecheckAt.IsZero()) {
			return
		}
		_, at := WantsSlot(w.f.Record, w.now)
		next := earliest(d.RecheckAt, at)
		if next.IsZero() && w.f.Machine.Deleting() {
			w.gone()
			continue
		}
		if next.IsZero() && !granted {
			break
		}
		if next.After(w.now) {
			w.now = next
		}
		if w.now.Sub(noon) > 2000*time.Hour {
			break
		}
	}
	w.fail("no end in sight: %+v", w.f.Record.Status)
}

// TestPeopleAndHealthHaveTheLastWord: whatever is true, a record ends or gives its slot back within an hour and the probation, once the machine
// is healthy, or somebody cancels, deletes or skips it. Only what has begun goes on.
func TestPeopleAndHealthHaveTheLastWord(t *testing.T) {
	words := []event{
		{"healthy", func(w *model) { w.f.Machine.Health = Healthy }},
		{"cancel", func(w *model) { w.decideAs(v1alpha1.AnswerCancel, "") }},
		{"delete", func(w *model) { w.deleteRecord() }},
		{"skip", func(w *model) { w.f.Safety.Unmanaged = "The Machine has the annotation skip-remediation" }},
	}
	rapid.Check(t, func(t *rapid.T) {
		w := newModel(t, anyPlan(t))
		for range rapid.IntRange(1, 30).Draw(t, "turns") {
			w.happen(aboutMachine, aboutRequest, aboutSafety, aboutPeople)
			w.wait(w.settle())
		}
		// A deletion that hangs is somebody else's, as is one that is refused.
		w.f.Safety.Stuck = ""
		w.request(func(r *Request) { r.Deleting = r.Deleting && r.Unreadable != "" })
		w.settle()
		w.happen(words)
		stopped, _ := w.f.Safety.stop(w.now)
		due := w.now.Add(time.Hour + w.f.Record.Spec.Probation() + deletesSoon)
		for !w.now.After(due) {
			d := w.settle()
			attempt := AtWork(w.f.Record)
			standsStill := stopped != "" && attempt != nil && attempt.Begun()
			if Ended(w.f.Record) || !HasSlot(w.f.Record) || w.f.Machine.Deleting() || w.f.Machine.Gone || standsStill {
				return
			}
			if d.RecheckAt.IsZero() {
				break
			}
			w.now = d.RecheckAt
		}
		w.fail("after that, it keeps its slot: %+v", w.f.Record.Status)
	})
}

func earliest(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}
