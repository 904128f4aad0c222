package ladder

import (
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// events are what may happen around a record, besides what TestWhatFollowsInEachPhase shows.
func events(now time.Time) map[string]change {
	ofMark := func(state MarkState) change {
		return func(f *Facts) {
			if f.Machine.Mark.Stands() {
				f.Machine.Mark.State, f.Machine.Mark.Message = state, "because"
			}
		}
	}
	all := aroundAsked(now)
	for _, o := range occurrences() {
		all[o.name] = o.happens
	}
	// The status is the record's own, and only the clock ages it.
	delete(all, "time is up")
	maps.Copy(all, map[string]change{
		"the owner waits": ofMark(MarkWaiting), "the owner defers": ofMark(MarkDeferred), "the owner answers": ofMark(MarkAnswered),
		"somebody takes the mark": func(f *Facts) { f.Machine.Mark = Mark{} },
		"somebody else marks it": func(f *Facts) {
			if f.Machine.Owner != nil && !f.Machine.Mark.Stands() {
				markedByOthers(f)
			}
		},
		"the owner is busy": busyOwner, "of a control plane": inControlPlane, "another owner": func(f *Facts) { f.Machine.Owner = otherSet() }, "another finding": func(f *Facts) { f.Machine.OtherFinding = true },
		"the request is on its way out": ofCycle(func(r *Request) { r.Deleting = true }),
		"a person keeps the host":       ofCycle(func(r *Request) { r.Kept = "ann keeps the host off" }),
		"the name is taken": func(f *Facts) {
			if f.Request == nil && AtWork(f.Record) == nil {
				nameTaken(f)
			}
		},
		"bounded": bounded, "it has a host": hasHost, "paced": paced, "hidden": hidden, "no plan": misconfigured, "acts fail": actFailed,
		"over the budget": func(f *Facts) {
			if !NeedsNoSlot(f.Record) {
				overBudget(f)
			}
		},
		"stuck":          unsafe(func(s *Safety) { s.Stuck = "a webhook says no" }),
		"resumed unseen": func(f *Facts) { f.Safety.Paused, f.ResumedAt = Cause{}, now },
		"granted": func(f *Facts) {
			if wants, _ := WantsSlot(f.Record, now); wants {
				*f = granted(*f)
			}
		},
		"granted in vain":   func(f *Facts) { f.Record.Spec.Grant = max(f.Record.Spec.Grant, f.Record.Status.ReleasedGrant+1) },
		"a successor comes": successorIs(Successor{Name: "md-0-new", Health: Undecided}), "it is healthy": successorIs(Successor{Name: "md-0-new", Health: Healthy, HealthySince: now}),
		"it is sick, too": successorIs(Successor{Name: "md-0-new", Health: Sick}), "it goes": successorIs(Successor{Name: "md-0-new", Gone: true}),
		"nobody knows whether one comes": func(f *Facts) { f.SuccessorUnknown = true }, "none will come": func(f *Facts) { f.NoSuccessor = "MachineSet md-0 was scaled down" },
	})
	return all
}

// anyFacts draws a record as some row shows it, a time after that, and anything that may have happened, likely or not.
func anyFacts(t *rapid.T) *look {
	rows := slices.DeleteFunc(slices.Concat(allRows(), situations()), func(r row) bool {
		// The API server refuses a record without steps, and nobody but a person loses when an attempt began.
		attempt := AtWork(r.facts.Record)
		return len(r.facts.Record.Spec.Steps) == 0 || attempt != nil && attempt.StartTime == nil
	})
	w := &look{TB: t, f: with(rapid.SampledFrom(rows).Draw(t, "row").facts), now: noon}
	w.now = noon.Add(rapid.SampledFrom([]time.Duration{0, 0, time.Millisecond, time.Minute, time.Hour, 48 * time.Hour}).Draw(t, "later"))
	for range rapid.IntRange(0, 5).Draw(t, "events") {
		w.happens(t)
	}
	return w
}

func (w *look) happens(t *rapid.T) {
	all := events(w.now)
	w.f = with(w.f, all[rapid.SampledFrom(keysOf(all)).Draw(t, "event")])
	if r, last := w.f.Request, Last(&w.f.Record.Status); r != nil && (last == nil || r.OperationID != last.OperationID) {
		// What cannot be read is assumed to exist only if the latest attempt made it.
		r.Unreadable = ""
	}
	if !w.f.Machine.Gone {
		// They are of the machine that is gone.
		w.f.Successor, w.f.NoSuccessor = nil, ""
	}
}

// TestWhateverIsRead: whatever is read, one decision after the other breaks no rule, and they come to rest within a few writes. What others do in between, and how
// writes go wrong, is for the explorer.
func TestWhateverIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyFacts(t)
		w.settle()
		w.happens(t)
		w.settle()
	})
}

// TestNothingByTheClock: between two looks that a record asks for, the time alone changes nothing.
func TestNothingByTheClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyFacts(t)
		d := w.settle()
		last := 100 * 24 * time.Hour
		if !d.RecheckAt.IsZero() {
			last = d.RecheckAt.Sub(w.now) - 1
		}
		w.now = w.now.Add(time.Duration(rapid.Int64Range(0, max(0, int64(last))).Draw(t, "later")))
		if again := w.decide(); again.Store || again.Act != d.Act {
			w.fail("after %s, without a look being asked for: %+v", w.now, again)
		}
	})
}
