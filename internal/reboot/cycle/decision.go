package cycle

import (
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Action is what to do in the world. Each is one write, bound to what was read, and safe to repeat.
type Action string

// The actions.
const (
	// Nothing but what the status says.
	Nothing Action = ""
	// AddFinalizer to the RebootRemediation, and RemoveFinalizer from it.
	AddFinalizer    Action = "AddFinalizer"
	RemoveFinalizer Action = "RemoveFinalizer"
	// RemoveNodeFinalizer lets go of a RebootRemediation that has stayed for its Node.
	RemoveNodeFinalizer Action = "RemoveNodeFinalizer"
	// SetKey holds the host off, and asks its operator for one answer. If our key is there already, it is only asked
	// again.
	SetKey Action = "SetKey"
	// RemoveKey lets go of the host: of our key, and of our request if it was not answered.
	RemoveKey Action = "RemoveKey"
	// DeleteNode deletes the Node that was recorded, and no other.
	DeleteNode Action = "DeleteNode"
	// TaintNode sets the out-of-service taint, and UntaintNode takes it away.
	TaintNode   Action = "TaintNode"
	UntaintNode Action = "UntaintNode"
	// RestoreNode puts back what is missing on the Node.
	RestoreNode Action = "RestoreNode"
	// MarkHost has Metal3 hand out the host no more, and UnmarkHost takes that mark of ours away.
	MarkHost   Action = "MarkHost"
	UnmarkHost Action = "UnmarkHost"
	// MarkForOwner asks the owner of the Machine to replace it.
	MarkForOwner Action = "MarkForOwner"
	// DropAsked takes the annotations for steps that are done from the Machine, and DropAll all that the cycle was about.
	DropAsked Action = "DropAsked"
	DropAll   Action = "DropAll"
)

// Decision is what to do now. Either the status changes, and has to be stored, or there is something
// to do, or neither, and the controller waits.
type Decision struct {
	// Status as it is to be stored.
	Status v1alpha1.RebootRemediationStatus
	// Changed tells that it differs from what is stored.
	Changed bool
	Action  Action
	// AskedAt is what our key says, for SetKey: when its operator is asked.
	AskedAt time.Time
	// Done are the steps whose annotations go, for DropAsked and DropAll.
	Done []v1alpha1.Step
	// RecheckAt is when this may change by itself; zero is never.
	RecheckAt time.Time
}

// step is a decision in the making.
type step struct {
	f   Facts
	s   v1alpha1.RebootRemediationStatus
	now time.Time
	do  Action
	// done are the steps whose annotations go.
	done []v1alpha1.Step
	at   time.Time
}

// decision closes a step. The status is stored before anything is done by it.
func (d *step) decision() Decision {
	changed := !equality.Semantic.DeepEqual(d.s, d.f.Status)
	if changed {
		return Decision{Status: d.s, Changed: true, RecheckAt: d.at}
	}
	decision := Decision{Status: d.s, Action: d.do, Done: d.done, RecheckAt: d.at}
	if d.do == SetKey {
		decision.AskedAt = d.now
	}
	return decision
}

// act does something, once the status is stored.
func (d *step) act(action Action) { d.do = action }

// until waits, and looks again when a deadline passes.
func (d *step) until(deadline time.Time) {
	if d.at.IsZero() || deadline.Before(d.at) {
		d.at = deadline
	}
}

// enter begins a phase.
func (d *step) enter(phase v1alpha1.Phase, message string) {
	if d.s.Phase != phase {
		d.s.SuspendedSince, d.s.PausedSince, d.s.UnavailableSince = nil, nil, nil
	}
	d.s.Phase = phase
	if !d.holdsOff() {
		d.s.HoldingSince = nil
	}
	d.progress(string(phase), message)
}

// progress says what the cycle waits for.
func (d *step) progress(reason, message string) {
	d.condition(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, reason, message)
}

func (d *step) time() *metav1.Time { return new(metav1.NewTime(d.now)) }
