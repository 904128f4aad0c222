package ladder

import (
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// ofCycle changes the request of a record, if there is one that the record has made.
func ofCycle(apply func(*Request)) change {
	return func(f *Facts) {
		if f.Request != nil && f.Request.OperationID != "" {
			f.Request = new(*f.Request)
			apply(f.Request)
		}
	}
}

// aroundAsked are what may happen around a record that somebody asked for without a finding.
func aroundAsked(now time.Time) map[string]change {
	return map[string]change{
		"healthy":   is(Healthy),
		"sick":      is(Sick),
		"undecided": is(Undecided),
		"paused":    func(f *Facts) { toggle(&f.Safety.Paused, Said("Cluster spec.paused is set to true")) },
		"on hold": func(f *Facts) {
			toggle(&f.Safety.OnHold, "ann holds it")
			f.Safety.HoldUntil = now.Add(time.Hour)
		},
		"terminating":       func(f *Facts) { toggle(&f.Safety.Terminating, Said("The Cluster is being deleted")) },
		"others":            func(f *Facts) { toggle(&f.Safety.HeldByOthers, Said("Another MachineRemediation is at work")) },
		"kept off":          func(f *Facts) { toggle(&f.Safety.KeptOff, Said("ann keeps the host off")) },
		"superseded":        superseded,
		"withdrawn":         func(f *Facts) { toggle(&f.Withdrawn, "Somebody has removed the annotation") },
		"cancelled":         decides(v1alpha1.AnswerCancel, ""),
		"denied":            decides(v1alpha1.AnswerDeny, ""),
		"asked again":       decides(v1alpha1.AnswerRetry, ""),
		"impossible":        func(f *Facts) { toggle(&f.Safety.Impossible, "the kind is not installed") },
		"remediate-machine": func(f *Facts) { f.RemediateAsked = !f.RemediateAsked },
		"the owner refuses": func(f *Facts) {
			if f.Machine.Mark.Stands() {
				f.Machine.Mark.State = MarkRefused
			}
		},
		"the cycle begins":         ofCycle(func(r *Request) { r.BeganAt = now }),
		"the host is off":          ofCycle(func(r *Request) { r.BeganAt, r.HostOffAt = now, now }),
		"the cycle is done":        ofCycle(func(r *Request) { r.BeganAt, r.Succeeded = now, "True" }),
		"the cycle fails":          ofCycle(func(r *Request) { r.BeganAt, r.Succeeded = now, "False" }),
		"the cycle is aborted":     ofCycle(func(r *Request) { r.BeganAt, r.Succeeded, r.Aborted = now, "False", true }),
		"the host cannot be used":  ofCycle(func(r *Request) { r.Impossible = r.BeganAt.IsZero() }),
		"the cycle cannot be read": ofCycle(func(r *Request) { r.Unreadable = "no rights" }),
		"somebody deletes it":      func(f *Facts) { f.Request = nil },
	}
}

// TestAskedForWhateverHappens: what somebody asks for without a finding never waits for a person to decide, and comes to an end: at the latest
// when somebody no longer wants the host kept off, or a health check no longer asks an owner that does not answer.
func TestAskedForWhateverHappens(t *testing.T) {
	all := map[string]Facts{
		"by a person": askedFor(Sick), "by annotation": byAnnotation(), "keeps off": keepsOff(), "by a health check": byHealthCheck(Sick),
	}
	rapid.Check(t, func(t *rapid.T) {
		who := rapid.SampledFrom(keysOf(all)).Draw(t, "who")
		w := &story{f: with(all[who]), now: noon}
		look := func(wait time.Duration) {
			w.until(w.now.Sub(noon) + wait)
			if s := w.f.Record.Status; s.Phase == v1alpha1.RemediationHeld {
				t.Fatalf("it is held: %s", Progress(&s).Message)
			}
		}
		for range rapid.IntRange(1, 30).Draw(t, "turns") {
			events := aroundAsked(w.now)
			w.f = with(w.f, events[rapid.SampledFrom(keysOf(events)).Draw(t, "event")])
			look(rapid.SampledFrom([]time.Duration{0, 0, time.Minute, time.Hour, 30 * time.Hour}).Draw(t, "wait"))
		}
		w.f = with(w.f, ofCycle(func(r *Request) { r.Unreadable, r.Deleting = "", false }))
		w.f.Safety, w.f.Machine.Health = Safety{}, Sick
		if who == "keeps off" || who == "by a health check" {
			withdrawn(&w.f)
		}
		look(10 * 24 * time.Hour)
		if !Ended(w.f.Record) {
			t.Fatalf("it has no end: %+v", w.f.Record.Status)
		}
	})
}

func keysOf[V any](of map[string]V) []string {
	return slices.Sorted(maps.Keys(of))
}

// toggle switches a reason of Safety on or off.
func toggle[T comparable](reason *T, why T) {
	var none T
	if *reason == none {
		*reason = why
	} else {
		*reason = none
	}
}
