package ask

import (
	"cmp"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/conditions"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Act is what to do: one write.
type Act string

// The acts.
const (
	// Nothing means that there is nothing to do.
	Nothing Act = ""
	// Make makes a record.
	Make Act = "Make"
	// Answer puts the sign of a record in the place of the annotation that asked for it.
	Answer Act = "Answer"
	// Sweep removes a sign that no open record has.
	Sweep Act = "Sweep"
	// Tell writes what becomes of a request into its status.
	Tell Act = "Tell"
	// Refuse says on the Machine why an annotation is not followed.
	Refuse Act = "Refuse"
	// Note writes what becomes of what OpenShift's health check asked for, or removes that if the message is empty.
	Note Act = "Note"
	// Settle removes the annotation of OpenShift's health check, and what was noted.
	Settle Act = "Settle"
)

// Decision is the one thing that comes next.
type Decision struct {
	Act Act
	// Spec is the record to make.
	Spec v1alpha1.MachineRemediationSpec
	// QuorumLoss permits the record to cycle a host although too little of its control plane would be up.
	QuorumLoss bool
	// Key is the annotation to answer or to remove, and Operation the sign to show or to remove.
	Key, Operation string
	// Request is the request to tell something, and Condition what to tell; Record is the record that carries it out.
	Request   *v1alpha1.RebootRemediation
	Condition metav1.Condition
	Record    *v1alpha1.RemediationReference
	// Message says why something is refused, or what to note.
	Message string
	// Unsolved reports that OpenShift's health check still waits, and nothing more is done.
	Unsolved bool
	// RecheckAt is when to look again if no event comes before; zero means never.
	RecheckAt time.Time
}

// lookAgain is how long to wait before looking again at what no event announces.
const lookAgain = time.Minute

// Decide decides about one Machine. No event says that Sickbay may make records now.
func Decide(f Facts, now time.Time) Decision {
	d := f.next(now)
	if f.Forbidden != "" && d.RecheckAt.IsZero() {
		d.RecheckAt = now.Add(lookAgain)
	}
	return d
}

// next says what comes next.
func (f Facts) next(now time.Time) Decision {
	for _, request := range f.Requests {
		if d := f.aboutRequest(request); d.Act != Nothing {
			return d
		}
	}
	switch {
	case f.Machine.Gone:
		return Decision{}
	case f.NotInstalled:
		return f.refuseAll()
	}
	if f.Drains {
		return f.handBack()
	}
	if d := f.aboutAnnotations(); d.Act != Nothing {
		return d
	}
	d := f.aboutExternal(now)
	carried := strings.Join(f.Machine.FromTemplate, " and ")
	switch {
	case d.Act != Nothing || carried == "":
	case f.Machine.OwnerUnread != "":
		d.Act, d.RecheckAt = Refuse, now.Add(lookAgain)
		d.Message = "Nothing is done for the annotation " + carried + ": whether the template of its owner has it cannot be read: " + f.Machine.OwnerUnread
	default:
		d.Act = Refuse
		d.Message = "The template of its owner has the annotation " + carried + ", so it would be done to each of its machines: nothing is done"
	}
	return d
}

// handBack removes what Sickbay shows on the Machine. What others wrote to ask for something stays.
func (f Facts) handBack() Decision {
	if d := f.sweep(); d.Act != Nothing {
		return d
	}
	return f.note("", time.Time{})
}

const notInstalled = "The kind MachineRemediation is not installed, so nothing is done: sickbay crds | kubectl apply -f -"

func (f Facts) forbidden() string {
	return "Sickbay may not make MachineRemediations, so nothing is done: " + f.Forbidden
}

func (f Facts) refuseAll() Decision {
	if f.Machine.asks(CycleAnnotation) || f.Machine.asks(PowerOffAnnotation) {
		return Decision{Act: Refuse, Message: notInstalled}
	}
	return Decision{}
}

// aboutRequest makes a record of a request, and tells the request what becomes of it. What was answered once is not done again.
func (f Facts) aboutRequest(request *v1alpha1.RebootRemediation) Decision {
	answer := answerTo(request)
	if answer.Status == metav1.ConditionTrue || answer.Status == metav1.ConditionFalse {
		return Decision{}
	}
	made, before := f.ofRequest(request.UID), request.Status.RecordRef
	switch {
	case f.NotInstalled:
		return tell(request, nil, metav1.ConditionUnknown, v1alpha1.ReasonKindsNotInstalled, notInstalled)
	case made == nil && before != nil:
		return tell(request, before, metav1.ConditionFalse, v1alpha1.ReasonWithdrawn, "MachineRemediation "+before.Name+", which carried this out, was deleted")
	case made == nil:
		return f.makeFor(request)
	case !ladder.Ended(made):
		progress := ladder.Progress(&made.Status)
		reason := cmp.Or(progress.Reason, string(v1alpha1.RemediationPending))
		return tell(request, refTo(made), metav1.ConditionUnknown, reason, progress.Message)
	}
	end := ladder.Success(&made.Status)
	switch {
	case interrupted(made) && f.open():
		return tell(request, refTo(made), metav1.ConditionUnknown, end.Reason, end.Message)
	case interrupted(made):
		return f.makeFor(request)
	case end.Status == metav1.ConditionTrue:
		return tell(request, refTo(made), metav1.ConditionTrue, end.Reason, end.Message)
	}
	return tell(request, refTo(made), metav1.ConditionFalse, end.Reason, end.Message)
}

// interrupted reports whether a record ended although somebody still asks: it made room for another one, or Sickbay drained while it was a health check's.
// Nothing else hands back what was asked for, unless a person deletes the record.
func interrupted(r *v1alpha1.MachineRemediation) bool {
	reason := endOf(r).Reason
	drained := reason == v1alpha1.ReasonHandedBack && r.DeletionTimestamp.IsZero() && r.Spec.RequestedBy.Kind == v1alpha1.AskedByHealthCheck
	return reason == v1alpha1.ReasonSuperseded || drained
}

// tell tells a request something, unless it knows that.
func tell(request *v1alpha1.RebootRemediation, of *v1alpha1.RemediationReference, status metav1.ConditionStatus, reason, message string) Decision {
	answer := answerTo(request)
	before := request.Status.RecordRef
	same := (before == nil) == (of == nil) && (of == nil || *before == *of)
	if same && answer.Status == status && answer.Reason == reason && answer.Message == message {
		return Decision{}
	}
	return Decision{Act: Tell, Request: request, Record: of, Condition: metav1.Condition{
		Type: v1alpha1.ConditionSucceeded, Status: status, Reason: reason, Message: message,
	}}
}

func answerTo(request *v1alpha1.RebootRemediation) metav1.Condition {
	return conditions.Of(request.Status.Conditions, v1alpha1.ConditionSucceeded)
}

func refTo(r *v1alpha1.MachineRemediation) *v1alpha1.RemediationReference {
	return &v1alpha1.RemediationReference{Name: r.Name, UID: r.UID}
}

// aboutAnnotations makes records of what annotations of the Machine ask for, and answers them.
func (f Facts) aboutAnnotations() Decision {
	m, keeps := f.Machine, f.keepingOff()
	// A record that keeps the host off goes on with a whole cycle.
	if m.asks(CycleAnnotation) && keeps == nil {
		if d := f.aboutAnnotation(CycleAnnotation, m.reboot(1, rebootTime)); d.Act != Nothing {
			return d
		}
	}
	if m.asks(PowerOffAnnotation) && (keeps == nil || keeps.Spec.RequestedBy.Name == PowerOffAnnotation) {
		step := m.reboot(1, rebootTime)
		step.Until = v1alpha1.StepPowerOff
		if d := f.aboutAnnotation(PowerOffAnnotation, step); d.Act != Nothing {
			return d
		}
	}
	return f.sweep()
}

// aboutAnnotation makes a record of an annotation, and then answers it. While a cycle is carried out, the annotation may ask for another one; if that
// cycle does not count, the next attempt of its record answers it.
func (f Facts) aboutAnnotation(key string, step v1alpha1.RemediationStep) Decision {
	by := v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByAnnotation, Name: key}
	switch open := f.openFor(by.Kind, key); {
	case open == nil && f.Forbidden != "":
		return Decision{Act: Refuse, Message: f.forbidden()}
	case open == nil:
		return Decision{Act: Make, Spec: f.Machine.spec(by, step)}
	case !cycling(open):
		return Decision{Act: Answer, Key: key, Operation: ladder.OperationID(open, max(1, open.Status.Attempt))}
	}
	return Decision{}
}

// cycling reports whether a cycle of a record has begun and is not over, or no other one follows.
func cycling(r *v1alpha1.MachineRemediation) bool {
	attempt := ladder.AtWork(r)
	_, follows := ladder.NextStep(r)
	return !follows || (attempt != nil && attempt.Begun())
}

// sweep removes a sign that no open record has.
func (f Facts) sweep() Decision {
	for _, key := range []string{CycleAnnotation, PowerOffAnnotation} {
		if sign := f.Machine.Annotations[key]; rebootannotation.IsSign(sign) && !f.isOpen(sign) {
			return Decision{Act: Sweep, Key: key, Operation: sign}
		}
	}
	return Decision{}
}
