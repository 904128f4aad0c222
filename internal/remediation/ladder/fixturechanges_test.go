package ladder

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Changes to what was observed.
func is(health Health) change { return func(f *Facts) { f.Machine.Health = health } }

func deleting(before time.Duration) change {
	return func(f *Facts) { f.Machine.DeletingSince = noon.Add(-before) }
}

func goneNow(f *Facts) { f.Machine = Machine{Gone: true} }

func orphan(f *Facts) { f.Machine.Owner = nil }

func noSlot(f *Facts) { f.Record.Status.ReleasedGrant = f.Record.Spec.Grant }

func owner(state MarkState, message string) change {
	return func(f *Facts) { f.Machine.Mark.State, f.Machine.Mark.Message = state, message }
}

func unsafe(change func(*Safety)) change { return func(f *Facts) { change(&f.Safety) } }

var (
	paused      = unsafe(func(s *Safety) { s.Paused = "Cluster spec.paused is set to true" })
	onHold      = unsafe(func(s *Safety) { s.OnHold, s.HoldUntil = "ann holds it", noon.Add(time.Hour) })
	terminating = unsafe(func(s *Safety) { s.Terminating = "The Cluster is being deleted" })
	unmanaged   = unsafe(func(s *Safety) { s.Unmanaged = "No MachineHealthCheck selects the machine any more" })
)

func recordIsDeleted(f *Facts) { f.Record.DeletionTimestamp = ago(time.Minute) }

// marked has our mark on the machine, unanswered.
func marked(f *Facts) { f.Machine.Mark = Mark{State: MarkWaiting, Ours: true} }

// markedByOthers has a mark on the machine that is not ours.
func markedByOthers(f *Facts) { f.Machine.Mark = Mark{State: MarkWaiting} }

// takesBack is a record that has said that it takes something back.
func takesBack(f *Facts) {
	said(metav1.ConditionTrue, v1alpha1.ReasonWithdrawing, "Takes it back")(f)
}

func busyOwner(f *Facts) { f.Machine.OwnerActive = true }

func verdictStands(f *Facts) { f.Machine.VerdictStands = true }

func remediateAsked(f *Facts) { f.RemediateAsked = true }

// annotationAnswered has the annotation have been answered already.
func annotationAnswered(f *Facts) { f.Record.Status.AnnotationAnswered = true }

func rebootStands(f *Facts) { f.Machine.RebootStands = true }

func jumpTo(step string) change { return func(f *Facts) { f.JumpTo = step } }

func startAt(step, reason string) change {
	return func(f *Facts) { f.Record.Spec.StartAt = &v1alpha1.RemediationStart{Step: step, Reason: reason} }
}

// dueIn is when the record says that something happens.
func dueIn(wait time.Duration) change {
	return func(f *Facts) { f.Record.Status.NextTransitionTime = ago(-wait) }
}

func stoppedFor(d time.Duration) change { return stoppedBy(byPause, d) }

func stoppedBy(by string, d time.Duration) change {
	return func(f *Facts) { f.Record.Status.StoppedTime, f.Record.Status.StoppedBy = ago(d), by }
}

// resumed has the last pause end some time ago.
func resumed(before time.Duration) change {
	return func(f *Facts) { f.ResumedAt = noon.Add(-before) }
}

// seenPause has the record go on after a pause that it has seen, some time ago.
func seenPause(before time.Duration) change {
	return func(f *Facts) {
		said(metav1.ConditionTrue, v1alpha1.ReasonActing, "")(f)
		f.Record.Status.Conditions[0].LastTransitionTime = *ago(before)
	}
}

// decided stores with an attempt that a person has decided about it.
func decided(number int, answer v1alpha1.Answer) change {
	return func(f *Facts) {
		f.Record.Status.Attempts[number-1].Decision = &v1alpha1.RemediationDecision{Attempt: int32(number), Answer: answer}
	}
}

// requested has a request stand that an attempt of a number has made.
func requested(kind string, number int32) change {
	return func(f *Facts) {
		f.Request = &Request{OperationID: OperationID(f.Record, number), Ref: *thing(kind, fmt.Sprintf("r-%d", number))}
	}
}

func requestSays(succeeded, message string) change {
	return func(f *Facts) { f.Request.Succeeded, f.Request.Message = succeeded, message }
}

func nameTaken(f *Facts) { f.Request = &Request{Ref: *thing("Fix", "theirs")} }

func successorIs(s Successor) change { return func(f *Facts) { f.Successor = &s } }

var (
	misconfigured = unsafe(func(s *Safety) {
		s.Misconfigured = "MachineRemediationTemplate metal of MachineHealthCheck workers does not exist"
	})
	hidden      = unsafe(func(s *Safety) { s.Claimed = "NVSentinel works on the Node" })
	paced       = unsafe(func(s *Safety) { s.Paced = "MachineSet md-0 cools down after the last repair" })
	gateClosed  = unsafe(func(s *Safety) { s.GateClosed = "3 of 3 are not healthy" })
	overBudget  = unsafe(func(s *Safety) { s.OverBudget = "2 of at most 1 are in flight" })
	actFailed   = unsafe(func(s *Safety) { s.Failed = "the webhook is down" })
	claimed     = unsafe(func(s *Safety) { s.HeldByOthers = "NVSentinel works on the Node" })
	keptOff     = unsafe(func(s *Safety) { s.KeptOff = "ann keeps the host off" })
	planProblem = unsafe(func(s *Safety) { s.PlanProblem = "rule x: no such key" })
)
