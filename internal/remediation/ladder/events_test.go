package ladder

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// An event is something that happens around a record.
type event struct {
	name   string
	happen func(*world)
}

// toggle switches a reason of Safety on or off.
func toggle(reason *string, why string) {
	if *reason == "" {
		*reason = why
	} else {
		*reason = ""
	}
}

func mark(state MarkState) func(*world) {
	return func(w *world) {
		if w.f.Machine.Mark.Stands() {
			w.f.Machine.Mark.State, w.f.Machine.Mark.Message = state, "because"
		}
	}
}

// aboutMachine are what may happen to the machine.
var aboutMachine = []event{
	{"healthy", func(w *world) { w.f.Machine.Health = Healthy }},
	{"sick", func(w *world) { w.f.Machine.Health = Sick }},
	{"sick again", func(w *world) { w.f.Machine.Health = Sick }},
	{"undecided", func(w *world) { w.f.Machine.Health = Undecided }},
	{"somebody deletes it", func(w *world) { w.f.Machine.DeletingSince = w.now }},
	{"it is gone", func(w *world) { w.gone() }},
	{"the owner defers", mark(MarkDeferred)},
	{"the owner refuses", mark(MarkRefused)},
	{"the owner waits", mark(MarkWaiting)},
	{"the owner answers", mark(MarkAnswered)},
	{"the owner deletes", func(w *world) {
		if w.f.Machine.Mark.State == MarkAnswered {
			w.f.Machine.DeletingSince = w.now
		}
	}},
	{"the owner is busy", func(w *world) { w.f.Machine.OwnerActive = !w.f.Machine.OwnerActive }},
	{"somebody takes the mark", func(w *world) { w.f.Machine.Mark = Mark{} }},
	{"somebody else marks it", func(w *world) {
		if w.f.Machine.Owner != nil && !w.f.Machine.Mark.Stands() {
			w.f.Machine.Mark = Mark{State: MarkWaiting}
		}
	}},
	{"the annotation is consumed", func(w *world) { w.f.Machine.RebootStands = false }},
	{"remediate-machine", func(w *world) { w.f.RemediateAsked = !w.f.RemediateAsked }},
}

// aboutRequest are what may happen to a request.
var aboutRequest = []event{
	{"the request succeeds", func(w *world) { w.request(func(r *Request) { r.Succeeded = "True" }) }},
	{"the request fails", func(w *world) { w.request(func(r *Request) { r.Succeeded = "False" }) }},
	{"the request is on its way out", func(w *world) { w.request(func(r *Request) { r.Deleting = true }) }},
	{"the request cannot be read", func(w *world) { w.request(func(r *Request) { r.Unreadable = "no rights" }) }},
	{"the request can be read", func(w *world) { w.request(func(r *Request) { r.Unreadable = "" }) }},
	{"the request is gone", func(w *world) { w.f.Request = nil }},
	{"the name is taken", func(w *world) {
		if w.f.Request == nil && AtWork(w.f.Record) == nil {
			w.f.Request = &Request{Ref: v1alpha1.RemediationObjectReference{APIVersion: "v1", Kind: "Thing", Name: "theirs"}}
		}
	}},
}

// aboutSafety are what may speak against acting.
var aboutSafety = []event{
	{"paused", func(w *world) { toggle(&w.f.Safety.Paused, "Cluster spec.paused is set to true") }},
	{"resumed unseen", func(w *world) { w.f.Safety.Paused, w.f.ResumedAt = "", w.now }},
	{"on hold", func(w *world) {
		toggle(&w.f.Safety.OnHold, "ann holds it")
		w.f.Safety.HoldUntil = w.now.Add(time.Hour)
	}},
	{"terminating", func(w *world) { toggle(&w.f.Safety.Terminating, "The Cluster is being deleted") }},
	{"others", func(w *world) { toggle(&w.f.Safety.HeldByOthers, "NVSentinel works on the Node") }},
	{"others, seen just now", func(w *world) { toggle(&w.f.Safety.Claimed, "NVSentinel works on the Node") }},
	{"no plan", func(w *world) { toggle(&w.f.Safety.Misconfigured, "MachineRemediationTemplate metal does not exist") }},
	{"another owner", func(w *world) {
		if w.f.Machine.Owner != nil {
			w.f.Machine.Owner = rapid.SampledFrom([]*v1alpha1.RemediationObjectReference{machineSet(), otherSet()}).Draw(w.t, "owner")
		}
	}},
	{"kept off", func(w *world) { toggle(&w.f.Safety.KeptOff, "ann keeps the host off") }},
	{"gate", func(w *world) { toggle(&w.f.Safety.GateClosed, "too many are unhealthy") }},
	{"budget", func(w *world) { toggle(&w.f.Safety.OverBudget, "more are in flight than allowed") }},
	{"paced", func(w *world) { toggle(&w.f.Safety.Paced, "other repairs of MachineSet md-0 come first") }},
	{"stuck", func(w *world) { toggle(&w.f.Safety.Stuck, "a webhook says no") }},
	{"plan problem", func(w *world) { toggle(&w.f.Safety.PlanProblem, "rule x cannot be evaluated") }},
	{"acts fail", func(w *world) { toggle(&w.refuse, "the webhook is down"); w.fate = "" }},
	{"answers are lost", func(w *world) { toggle(&w.refuse, "no answer"); w.fate = "lost" }},
	{"acts come late", func(w *world) { toggle(&w.refuse, "no answer"); w.fate = "late" }},
	{"what was late lands", func(w *world) { w.lands() }},
	{"what was late has landed", func(w *world) { w.lands() }},
}

// aboutPeople are what people and other controllers of Sickbay may do.
var aboutPeople = []event{
	{"approve", func(w *world) { w.decideAs(v1alpha1.AnswerApprove, "") }},
	{"approve again", func(w *world) { w.decideAs(v1alpha1.AnswerApprove, "") }},
	{"deny", func(w *world) { w.decideAs(v1alpha1.AnswerDeny, "") }},
	{"retry", func(w *world) { w.decideAs(v1alpha1.AnswerRetry, "") }},
	{"retry a step", func(w *world) {
		w.decideAs(v1alpha1.AnswerRetry, rapid.SampledFrom(w.f.Record.Spec.Steps).Draw(w.t, "step").Name)
	}},
	{"cancel", func(w *world) { w.decideAs(v1alpha1.AnswerCancel, "") }},
	{"grant", func(w *world) { w.grant() }},
	{"grant when asked", func(w *world) { w.grant() }},
	{"grant in vain", func(w *world) {
		w.f.Record = w.f.Record.DeepCopy()
		w.f.Record.Spec.Grant = max(w.f.Record.Spec.Grant, w.f.Record.Status.ReleasedGrant+1)
		w.f.Record.Generation++
	}},
	{"jump", func(w *world) { w.f.JumpTo = rapid.SampledFrom(w.f.Record.Spec.Steps).Draw(w.t, "to").Name }},
	{"no jump", func(w *world) { w.f.JumpTo = "" }},
}

// aboutEnd are what puts an end to a record.
var aboutEnd = []event{
	{"unmanaged", func(w *world) { toggle(&w.f.Safety.Unmanaged, "No MachineHealthCheck selects the machine any more") }},
	{"verdict stands", func(w *world) { w.f.Machine.VerdictStands = !w.f.Machine.VerdictStands }},
	{"the record is deleted", func(w *world) { w.deleteRecord() }},
	{"a successor comes", func(w *world) { w.successor(&Successor{Name: "md-0-new", Health: Undecided}) }},
	{"it is healthy", func(w *world) { w.successor(&Successor{Name: "md-0-new", Health: Healthy, HealthySince: w.now}) }},
	{"it is sick", func(w *world) { w.successor(&Successor{Name: "md-0-new", Health: Sick}) }},
	{"it goes", func(w *world) { w.successor(&Successor{Name: "md-0-new", Gone: true}) }},
	{"none will come", func(w *world) {
		if w.f.Machine.Gone {
			w.f.NoSuccessor = "MachineSet md-0 was scaled down"
		}
	}},
}

func (w *world) gone() {
	w.f.Machine = Machine{Gone: true}
}

func (w *world) request(change func(*Request)) {
	if w.f.Request != nil {
		r := *w.f.Request
		change(&r)
		w.f.Request = &r
	}
}

func (w *world) successor(s *Successor) {
	if w.f.Machine.Gone {
		w.f.Successor = s
	}
}

// happen draws an event.
func (w *world) happen(kinds ...[]event) {
	e := rapid.SampledFrom(slices.Concat(kinds...)).Draw(w.t, "event")
	w.logf("* %s", e.name)
	e.happen(w)
}

// anyPlan draws a plan.
func anyPlan(t *rapid.T) Facts {
	if rapid.IntRange(0, 3).Draw(t, "built in") == 0 {
		return builtin(rapid.SampledFrom([]v1alpha1.RemediationStep{replace(), reboot(), request()}).Draw(t, "step"))
	}
	var steps []v1alpha1.RemediationStep
	all := []v1alpha1.RemediationStep{wait(), reboot(), collect(), request(), replace(), holdStep()}
	for _, step := range all {
		if !rapid.Bool().Draw(t, step.Name) {
			continue
		}
		if Acts(step.Action) && rapid.IntRange(0, 3).Draw(t, "approval") == 0 {
			step = approvedStep(step)
		}
		steps = append(steps, step)
	}
	if len(steps) == 0 {
		steps = append(steps, rapid.SampledFrom(all).Draw(t, "only step"))
	}
	f := plan(steps...)
	switch rapid.IntRange(0, 5).Draw(t, "start") {
	case 0:
		f.Record.Spec.StartAt = &v1alpha1.RemediationStart{Reason: "It was tried before"}
	case 1:
		f.Record.Spec.StartAt = &v1alpha1.RemediationStart{Step: rapid.SampledFrom(steps).Draw(t, "start at").Name, Reason: "A rule says so"}
	}
	f.Record.Spec.Grant = rapid.Int32Range(0, 1).Draw(t, "grant")
	f.Record.Spec.ProbationSeconds = new(rapid.SampledFrom([]int32{0, 300}).Draw(t, "probation"))
	if rapid.IntRange(0, 3).Draw(t, "orphan") == 0 {
		f.Machine.Owner = nil
	}
	return f
}
