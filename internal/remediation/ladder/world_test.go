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

// world is a record with everything around it, as far as the ladder sees it. It obeys acts as the API would, and checks each
// decision.
type world struct {
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
}

func newWorld(t *rapid.T, f Facts) *world {
	return &world{t: t, f: with(f), now: noon, evidence: map[string]bool{}, acted: map[string]int{}}
}

func (w *world) logf(format string, args ...any) {
	w.log = append(w.log, w.now.Sub(noon).String()+" "+fmt.Sprintf(format, args...))
}

func (w *world) fail(format string, args ...any) {
	w.t.Fatalf("%s\n%s", fmt.Sprintf(format, args...), strings.Join(w.log, "\n"))
}

// settle decides until nothing is to be done. Within one moment, that takes few writes.
func (w *world) settle() Decision {
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
func (w *world) decide() Decision {
	before := with(w.f)
	d := Decide(w.f, w.now)
	if !equality.Semantic.DeepEqual(before.Record, w.f.Record) {
		w.fail("deciding has changed the facts")
	}
	checkDecision(w, d)
	return d
}

func (w *world) store(d Decision) {
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
func (w *world) act(d Decision) bool {
	w.logf("act %s %s", d.Act, d.Attempt.OperationID)
	if d.Act.Begins() {
		return w.actBegins(d)
	}
	w.stores = 0
	switch d.Act {
	case WithdrawMark:
		w.f.Machine.Mark = Mark{}
	case WithdrawReboot:
		w.f.Machine.RebootStands = false
	case WithdrawRequest:
		w.f.Request = nil
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
func (w *world) actBegins(d Decision) bool {
	switch {
	case w.refuse == "":
		w.land(d)
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
func (w *world) lands() {
	d := w.late
	w.late = nil
	if d == nil || w.f.Machine.Gone || w.f.Machine.Deleting() || w.f.Machine.Health != Sick || w.f.Request != nil || w.closed {
		return
	}
	if d.Act == MarkForOwner && (w.f.Machine.Owner == nil || w.f.Machine.Mark.Stands()) || d.Act == AnnotateReboot && w.f.Machine.RebootStands {
		return
	}
	w.logf("%s %s has landed", d.Act, d.Attempt.OperationID)
	w.land(*d)
}

// land lets an act take effect.
func (w *world) land(d Decision) {
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
	case AnnotateReboot:
		m.RebootOperation, m.RebootStands = d.Attempt.OperationID, true
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
func (w *world) keepEvidence() {
	if w.f.Request == nil {
		return
	}
	w.evidence[w.f.Request.OperationID] = true
	t := &turn{f: w.f, s: w.f.Record.Status}
	if t.requestStands() {
		w.fail("a request is made while %s stands", w.f.Request.OperationID)
	}
}

// grant gives the record a slot if it wants one.
func (w *world) grant() bool {
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
func (w *world) decideAs(answer v1alpha1.Answer, step string) {
	w.f.Record = w.f.Record.DeepCopy()
	w.f.Record.Spec.Decision = &v1alpha1.RemediationDecision{Attempt: max(1, w.f.Record.Status.Attempt), Answer: answer, Step: step, By: "ann"}
	w.f.Record.Generation++
	w.logf("a person says %s %s", answer, step)
}

func (w *world) deleteRecord() {
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
