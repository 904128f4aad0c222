package ladder

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// model is a record with everything around it, as far as the ladder sees it. It obeys acts as the API would, and checks each
// decision.
type model struct {
	t   *rapid.T
	f   Facts
	now time.Time
	log []string
	// evidence are requests that stay after their attempt.
	evidence map[string]bool
	// acted counts the acts of each operation.
	acted map[string]int
	// refuse is why acts fail just now; empty if they do not. Then fate says whether they take effect all the same.
	refuse, fate string
	// late is an act on its way.
	late *Decision
	// stores counts writes of the status since something changed.
	stores int
	closed bool
	// jumped reports that a person or a rule has chosen the step, so steps before it may not have been tried.
	jumped bool
	// taken reports that somebody has taken a mark away, which fails its attempt.
	taken bool
	// unrelated reports that the status has nothing to do with the world.
	unrelated bool
	// withdrawn is when the mark was withdrawn.
	withdrawn time.Time
}

func newModel(t *rapid.T, f Facts) *model {
	return &model{t: t, f: with(f), now: noon, evidence: map[string]bool{}, acted: map[string]int{}}
}

func (w *model) logf(format string, args ...any) {
	w.log = append(w.log, w.now.Sub(noon).String()+" "+fmt.Sprintf(format, args...))
}

func (w *model) fail(format string, args ...any) {
	w.t.Fatalf("%s\n%s", fmt.Sprintf(format, args...), strings.Join(w.log, "\n"))
}

// settle decides until nothing is to be done. Within one moment, that takes few writes.
func (w *model) settle() Decision {
	w.stores = 0
	for range 30 {
		d := w.decide()
		switch {
		case d.Store:
			w.store(d)
		case d.Act != None:
			if !w.act(d) {
				return d
			}
		default:
			w.checkRest(d)
			return d
		}
	}
	w.fail("the record does not settle")
	return Decision{}
}

// decide judges one decision by itself.
func (w *model) decide() Decision {
	before := with(w.f)
	d := Decide(w.f, w.now)
	if !equality.Semantic.DeepEqual(before.Record, w.f.Record) {
		w.fail("deciding has changed the facts")
	}
	checkDecision(w, d)
	return d
}

func (w *model) store(d Decision) {
	if w.stores++; w.stores > 6 {
		w.fail("%d writes of the status without a change in the world", w.stores)
	}
	w.checkStore(d)
	w.f.Record = w.f.Record.DeepCopy()
	w.f.Record.Status = d.Status
	c := meta.FindStatusCondition(d.Status.Conditions, v1alpha1.ConditionProgressing)
	w.logf("store %s %s: %s [step %q attempt %d slot %v] by %q", d.Status.Phase, c.Reason, c.Message, d.Status.Step, d.Status.Attempt, HasSlot(w.f.Record), d.Rule)
}

// act carries an act out. It reports whether that changed anything.
func (w *model) act(d Decision) bool {
	w.logf("act %s %s", d.Act, d.Attempt.OperationID)
	if d.Act.Begins() {
		return w.actBegins(d)
	}
	w.stores = 0
	switch d.Act {
	case WithdrawMark:
		w.f.Machine.Mark, w.withdrawn = Mark{}, w.now
	case WithdrawRequest:
		if w.f.Request.Unreadable != "" {
			w.request(func(r *Request) { r.Deleting = true })
		} else {
			w.f.Request = nil
		}
	case Close:
		w.closed = true
		w.f.Record = w.f.Record.DeepCopy()
		w.f.Record.Labels, w.f.Record.Finalizers = nil, nil
	default:
		w.fail("unknown act %s", d.Act)
	}
	return true
}

// actBegins carries out what does something to the machine, unless it fails, or is on its way for longer than anybody waits.
func (w *model) actBegins(d Decision) bool {
	w.checkOrder(d)
	switch {
	case w.refuse == "":
		w.land(d)
		return true
	case w.fate == "never":
		w.f.Safety.Impossible = w.refuse
		again := w.decide()
		w.f.Safety.Impossible = ""
		w.stores = 0
		w.store(again)
		return true
	case w.fate == "lost":
		w.land(d)
	case w.fate == "late" && w.late == nil:
		w.late = &d
	}
	w.f.Safety.Failed = w.refuse
	again := w.decide()
	w.f.Safety.Failed = ""
	if !again.Store || again.Act != None {
		w.fail("an act that failed is not stepped back from: %+v", again)
	}
	w.store(again)
	return true
}

// lands lets an act take effect that was on its way, as far as what it is bound to has not changed.
func (w *model) lands() {
	d := w.late
	w.late = nil
	if d == nil || w.f.Machine.Gone || w.f.Machine.Deleting() || w.f.Machine.Health != Sick || w.f.Request != nil || w.closed {
		return
	}
	if d.Act == MarkForOwner && (w.f.Machine.Owner == nil || w.f.Machine.Mark.Stands()) {
		return
	}
	w.logf("%s %s has landed", d.Act, d.Attempt.OperationID)
	w.land(*d)
}

// land lets an act take effect.
func (w *model) land(d Decision) {
	w.acted[d.Attempt.OperationID]++
	if n := w.acted[d.Attempt.OperationID]; n > 1 {
		w.fail("operation %s was carried out %d times", d.Attempt.OperationID, n)
	}
	w.stores = 0
	m := &w.f.Machine
	switch d.Act {
	case MarkForOwner:
		if !m.Mark.Stands() {
			m.Mark = Mark{State: MarkWaiting, Ours: true}
		}
	case DeleteMachine:
		m.DeletingSince = w.now
	case CreateReboot, CreateRequest:
		w.keepEvidence()
		w.f.Request = &Request{OperationID: d.Attempt.OperationID, Ref: v1alpha1.RemediationObjectReference{
			APIVersion: "v1", Kind: "Thing", Name: strings.ReplaceAll(d.Attempt.OperationID, "/", "-"),
		}}
	default:
		w.fail("unknown act %s", d.Act)
	}
}

// keepEvidence moves aside what stays after its attempt: evidence, and power cycles that are over.
func (w *model) keepEvidence() {
	if w.f.Request == nil {
		return
	}
	w.evidence[w.f.Request.OperationID] = true
	t := &draft{f: w.f, s: w.f.Record.Status, now: w.now}
	if t.requestStands() {
		w.fail("a request is made while %s stands", w.f.Request.OperationID)
	}
}

// grant gives the record a slot if it wants one.
func (w *model) grant() bool {
	wants, _ := WantsSlot(w.f.Record, w.now)
	if !wants {
		return false
	}
	w.f.Record = w.f.Record.DeepCopy()
	w.f.Record.Spec.Grant = w.f.Record.Status.ReleasedGrant + 1
	w.f.Record.Generation++
	w.logf("grant %d", w.f.Record.Spec.Grant)
	return true
}

// decideAs has a person decide about the attempt in question.
func (w *model) decideAs(answer v1alpha1.Answer, step string) {
	w.jumped = w.jumped || answer == v1alpha1.AnswerRetry
	w.f.Record = w.f.Record.DeepCopy()
	w.f.Record.Spec.Decision = &v1alpha1.RemediationDecision{Attempt: max(1, w.f.Record.Status.Attempt), Answer: answer, Step: step, By: "ann"}
	w.f.Record.Generation++
	w.logf("a person says %s %s", answer, step)
}

func (w *model) deleteRecord() {
	w.f.Record = w.f.Record.DeepCopy()
	w.f.Record.DeletionTimestamp = new(metav1.NewTime(w.now))
}

func numbersOf(s v1alpha1.MachineRemediationStatus) []int32 {
	var all []int32
	for i := range s.Attempts {
		all = append(all, s.Attempts[i].Number)
	}
	return all
}

func increases(numbers []int32) bool {
	for i := 1; i < len(numbers); i++ {
		if numbers[i] <= numbers[i-1] {
			return false
		}
	}
	return !slices.Contains(numbers, 0)
}

// An event is something that happens around a record.
type event struct {
	name   string
	happen func(*model)
}

// toggle switches a reason of Safety on or off.
func toggle(reason *string, why string) {
	if *reason == "" {
		*reason = why
	} else {
		*reason = ""
	}
}

func mark(state MarkState) func(*model) {
	return func(w *model) {
		if w.f.Machine.Mark.Stands() {
			w.f.Machine.Mark.State, w.f.Machine.Mark.Message = state, "because"
		}
	}
}

// aboutMachine are what may happen to the machine.
var aboutMachine = []event{
	{"healthy", func(w *model) { w.f.Machine.Health = Healthy }},
	{"sick", func(w *model) { w.f.Machine.Health = Sick }},
	{"sick again", func(w *model) { w.f.Machine.Health = Sick }},
	{"undecided", func(w *model) { w.f.Machine.Health = Undecided }},
	{"somebody deletes it", func(w *model) { w.deletes() }},
	{"it is gone", func(w *model) { w.gone() }},
	{"the owner defers", mark(MarkDeferred)},
	{"the owner refuses", mark(MarkRefused)},
	{"the owner waits", mark(MarkWaiting)},
	{"the owner answers", mark(MarkAnswered)},
	{"the owner deletes", func(w *model) {
		if w.f.Machine.Mark.State == MarkAnswered {
			w.deletes()
		}
	}},
	{"the owner deletes, going by its cache", func(w *model) {
		if w.now.Before(w.withdrawn.Add(crossing)) {
			w.deletes()
		}
	}},
	{"the owner brings the mark back", func(w *model) {
		if m := &w.f.Machine; m.Owner != nil && !m.Mark.Stands() && !w.withdrawn.IsZero() {
			m.Mark = Mark{State: MarkDeferred, Message: "because", Ours: true}
		}
	}},
	{"another finding", func(w *model) { w.f.Machine.OtherFinding = !w.f.Machine.OtherFinding }},
	{"the owner is busy", func(w *model) { w.f.Machine.OwnerActive = !w.f.Machine.OwnerActive }},
	{"somebody takes the mark", func(w *model) { w.f.Machine.Mark, w.taken = Mark{}, true }},
	{"somebody else marks it", func(w *model) {
		if w.f.Machine.Owner != nil && !w.f.Machine.Mark.Stands() {
			w.f.Machine.Mark = Mark{State: MarkWaiting}
		}
	}},
	{"remediate-machine", func(w *model) { w.f.RemediateAsked, w.jumped = !w.f.RemediateAsked, true }},
}

func keptUnlessBegun(r *Request) string {
	if r.BeganAt.IsZero() {
		return "ann keeps the host off"
	}
	return ""
}

func (w *model) deletes() {
	if !w.f.Machine.Deleting() {
		w.f.Machine.DeletingSince = w.now
	}
}

// aboutRequest are what may happen to a request.
var aboutRequest = []event{
	{"the power cycle begins", func(w *model) {
		w.request(func(r *Request) {
			if r.BeganAt.IsZero() && !r.Impossible {
				r.BeganAt, r.Kept = w.now, ""
			}
		})
	}},
	{"the host is off", func(w *model) {
		w.request(func(r *Request) {
			if !r.BeganAt.IsZero() {
				r.HostOffAt = w.now
			}
		})
	}},
	{"a person keeps the host", func(w *model) { w.request(func(r *Request) { r.Kept = keptUnlessBegun(r) }) }},
	{"the host cannot be cycled", func(w *model) {
		w.request(func(r *Request) { r.Impossible = r.BeganAt.IsZero(); r.Message = "The host is used by somebody else" })
	}},
	{"the request succeeds", func(w *model) { w.request(func(r *Request) { r.Succeeded = "True" }) }},
	{"the request fails", func(w *model) { w.request(func(r *Request) { r.Succeeded = "False" }) }},
	{"the request is on its way out", func(w *model) { w.request(func(r *Request) { r.Deleting = true }) }},
	{"the request cannot be read", func(w *model) { w.request(func(r *Request) { r.Unreadable = "no rights" }) }},
	{"the request can be read", func(w *model) { w.request(func(r *Request) { r.Unreadable = "" }) }},
	{"the request is gone", func(w *model) { w.f.Request = nil }},
	{"the name is taken", func(w *model) {
		if w.f.Request == nil && AtWork(w.f.Record) == nil {
			w.f.Request = &Request{Ref: v1alpha1.RemediationObjectReference{APIVersion: "v1", Kind: "Thing", Name: "theirs"}}
		}
	}},
}

// aboutSafety are what may speak against acting.
var aboutSafety = []event{
	{"paused", func(w *model) { toggle(&w.f.Safety.Paused, "Cluster spec.paused is set to true") }},
	{"resumed unseen", func(w *model) { w.f.Safety.Paused, w.f.ResumedAt = "", w.now }},
	{"on hold", func(w *model) {
		toggle(&w.f.Safety.OnHold, "ann holds it")
		w.f.Safety.HoldUntil = w.now.Add(time.Hour)
	}},
	{"terminating", func(w *model) { toggle(&w.f.Safety.Terminating, "The Cluster is being deleted") }},
	{"others", func(w *model) { toggle(&w.f.Safety.HeldByOthers, "NVSentinel works on the Node") }},
	{"others, seen just now", func(w *model) { toggle(&w.f.Safety.OthersAtWork, "NVSentinel works on the Node") }},
	{"no plan", func(w *model) { toggle(&w.f.Safety.Misconfigured, "MachineRemediationTemplate metal does not exist") }},
	{"bounded", func(w *model) { w.f.Bounded = !w.f.Bounded }},
	{"the host is known", func(w *model) { w.f.BootTime = 20 * time.Minute }},
	{"acts can never take effect", func(w *model) { toggle(&w.refuse, "the kind is not installed"); w.fate = "never" }},
	{"another owner", func(w *model) {
		if w.f.Machine.Owner != nil {
			w.f.Machine.Owner = rapid.SampledFrom([]*v1alpha1.RemediationObjectReference{machineSet(), otherSet()}).Draw(w.t, "owner")
		}
	}},
	{"kept off", func(w *model) { toggle(&w.f.Safety.KeptOff, "ann keeps the host off") }},
	{"gate", func(w *model) { toggle(&w.f.Safety.GateClosed, "too many are unhealthy") }},
	{"budget", func(w *model) { toggle(&w.f.Safety.OverBudget, "more are in flight than allowed") }},
	{"paced", func(w *model) { toggle(&w.f.Safety.Paced, "other repairs of MachineSet md-0 come first") }},
	{"stuck", func(w *model) { toggle(&w.f.Safety.Stuck, "a webhook says no") }},
	{"plan problem", func(w *model) { toggle(&w.f.Safety.PlanProblem, "rule x cannot be evaluated") }},
	{"acts fail", func(w *model) { toggle(&w.refuse, "the webhook is down"); w.fate = "" }},
	{"answers are lost", func(w *model) { toggle(&w.refuse, "no answer"); w.fate = "lost" }},
	{"acts come late", func(w *model) { toggle(&w.refuse, "no answer"); w.fate = "late" }},
	{"what was late lands", func(w *model) { w.lands() }},
	{"what was late has landed", func(w *model) { w.lands() }},
}

// aboutPeople are what people and other controllers of Sickbay may do.
var aboutPeople = []event{
	{"approve", func(w *model) { w.decideAs(v1alpha1.AnswerApprove, "") }},
	{"approve again", func(w *model) { w.decideAs(v1alpha1.AnswerApprove, "") }},
	{"deny", func(w *model) { w.decideAs(v1alpha1.AnswerDeny, "") }},
	{"retry", func(w *model) { w.decideAs(v1alpha1.AnswerRetry, "") }},
	{"retry a step", func(w *model) {
		w.decideAs(v1alpha1.AnswerRetry, rapid.SampledFrom(w.f.Record.Spec.Steps).Draw(w.t, "step").Name)
	}},
	{"cancel", func(w *model) { w.decideAs(v1alpha1.AnswerCancel, "") }},
	{"grant", func(w *model) { w.grant() }},
	{"grant when asked", func(w *model) { w.grant() }},
	{"grant in vain", func(w *model) {
		w.f.Record = w.f.Record.DeepCopy()
		w.f.Record.Spec.Grant = max(w.f.Record.Spec.Grant, w.f.Record.Status.ReleasedGrant+1)
		w.f.Record.Generation++
	}},
	{"jump", func(w *model) {
		w.jumped = true
		w.f.JumpTo = rapid.SampledFrom(w.f.Record.Spec.Steps).Draw(w.t, "to").Name
	}},
	{"no jump", func(w *model) { w.f.JumpTo = "" }},
}

// aboutEnd are what puts an end to a record.
var aboutEnd = []event{
	{"unmanaged", func(w *model) { toggle(&w.f.Safety.Unmanaged, "No MachineHealthCheck selects the machine any more") }},
	{"the record is deleted", func(w *model) { w.deleteRecord() }},
	{"a successor comes", func(w *model) { w.successor(&Successor{Name: "md-0-new", Health: Undecided}) }},
	{"it is healthy", func(w *model) { w.successor(&Successor{Name: "md-0-new", Health: Healthy, HealthySince: w.now}) }},
	{"it is sick", func(w *model) { w.successor(&Successor{Name: "md-0-new", Health: Sick}) }},
	{"it goes", func(w *model) { w.successor(&Successor{Name: "md-0-new", Gone: true}) }},
	{"nobody can tell whether one comes", func(w *model) { w.f.SuccessorUnknown = !w.f.SuccessorUnknown }},
	{"none will come", func(w *model) {
		if w.f.Machine.Gone {
			w.f.NoSuccessor = "MachineSet md-0 was scaled down"
		}
	}},
}

func (w *model) gone() {
	w.f.Machine = Machine{Gone: true}
}

func (w *model) request(change func(*Request)) {
	if w.f.Request != nil {
		r := *w.f.Request
		change(&r)
		w.f.Request = &r
	}
}

func (w *model) successor(s *Successor) {
	if w.f.Machine.Gone {
		w.f.Successor = s
	}
}

// happen draws an event.
func (w *model) happen(kinds ...[]event) {
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
