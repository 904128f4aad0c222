package cycle

import (
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Action is what to do in the world: one write, which is refused if the object has changed since it was read, and is safe
// to repeat.
type Action string

// The actions.
const (
	// Nothing means that there is nothing to do in the world.
	Nothing Action = ""
	// AddFinalizer adds our finalizer to the RebootRemediation, and RemoveFinalizer removes it.
	AddFinalizer    Action = "AddFinalizer"
	RemoveFinalizer Action = "RemoveFinalizer"
	// RemoveNodeFinalizer releases a RebootRemediation that has stayed for its Node.
	RemoveNodeFinalizer Action = "RemoveNodeFinalizer"
	// SetKey keeps the host off, and asks its operator for one answer. If our key is there already, it only asks again.
	SetKey Action = "SetKey"
	// RemoveKey releases the host: it removes our key, and our request if it was not answered.
	RemoveKey Action = "RemoveKey"
	// DeleteNode deletes the recorded Node, and no other.
	DeleteNode Action = "DeleteNode"
	// TaintNode sets the out-of-service taint, and UntaintNode removes it.
	TaintNode   Action = "TaintNode"
	UntaintNode Action = "UntaintNode"
	// RestoreNode puts back what is missing on the Node.
	RestoreNode Action = "RestoreNode"
	// MarkHost keeps Metal3 from choosing the host for another machine, and UnmarkHost removes our mark.
	MarkHost   Action = "MarkHost"
	UnmarkHost Action = "UnmarkHost"
	// DropAsked removes the annotations for finished steps from the Machine, and DropFull the one that asked for all that is left.
	DropAsked Action = "DropAsked"
	DropFull  Action = "DropFull"
)

// Decision is what to do now. There are three kinds: the status changes and has to be stored, there is an action, or the
// controller waits.
type Decision struct {
	// Status is the status to store.
	Status v1alpha1.RebootRemediationStatus
	// Changed reports whether Status differs from what is stored.
	Changed bool
	Action  Action
	// ProbedAt, for SetKey, is when the operator is asked; our key has it as its content.
	ProbedAt time.Time
	// Done, for DropAsked, are the steps whose annotations to remove.
	Done []v1alpha1.Step
	// RecheckAt is when the decision may change by itself; zero means never.
	RecheckAt time.Time
}

// draft is a decision in the making.
type draft struct {
	f      Facts
	s      v1alpha1.RebootRemediationStatus
	now    time.Time
	action Action
	// done are the steps whose annotations to remove.
	done []v1alpha1.Step
	// recheckAt is when to look again; zero means never.
	recheckAt time.Time
}

// decision returns the decision that a draft has become. A changed status is stored first, before any action.
func (d *draft) decision() Decision {
	changed := !equality.Semantic.DeepEqual(d.s, d.f.Status)
	if changed {
		return Decision{Status: d.s, Changed: true, RecheckAt: d.recheckAt}
	}
	decision := Decision{Status: d.s, Action: d.action, Done: d.done, RecheckAt: d.recheckAt}
	if d.action == SetKey {
		decision.ProbedAt = d.now
		if d.f.Host.Key && d.s.KeySince != nil {
			// This process has seen the key for that long, whatever the clock says.
			decision.ProbedAt = healthcheck.Latest(d.now, d.s.KeySince.Add(settleTime))
		}
	}
	return decision
}

// choose sets the action, which is carried out once the status is stored.
func (d *draft) choose(action Action) { d.action = action }

// recheckBy schedules a look at a deadline.
func (d *draft) recheckBy(deadline time.Time) {
	d.recheckAt = healthcheck.Earliest(d.recheckAt, deadline)
}

// enter begins a phase.
func (d *draft) enter(phase v1alpha1.Phase, message string) {
	if d.s.Phase != phase {
		d.s.SuspendedSince, d.s.UnavailableSince = nil, nil
	}
	d.s.Phase = phase
	if !d.keepsOff() {
		d.s.HoldingSince = nil
	}
	d.progress(string(phase), message)
}

// progress says in the condition Succeeded what the cycle waits for.
func (d *draft) progress(reason, message string) {
	d.success(metav1.ConditionUnknown, reason, message)
}

func (d *draft) time() *metav1.Time { return new(metav1.NewTime(d.now)) }
