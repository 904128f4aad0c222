package ladder

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// ago is a time before noon, as the API stores it.
func ago(d time.Duration) *metav1.Time { return new(metav1.NewTime(noon.Add(-d))) }

const recordUID = "5f2c9d1e"

// machineSet owns the machine.
func machineSet() *v1alpha1.RemediationObjectReference {
	return &v1alpha1.RemediationObjectReference{APIVersion: "cluster.x-k8s.io/v1beta2", Kind: "MachineSet", Name: "md-0", UID: "ms-1"}
}

// otherSet may own it later.
func otherSet() *v1alpha1.RemediationObjectReference {
	return &v1alpha1.RemediationObjectReference{APIVersion: "cluster.x-k8s.io/v1beta2", Kind: "MachineSet", Name: "md-1", UID: "ms-2"}
}

// The steps of the plans in the tests.
func wait() v1alpha1.RemediationStep {
	return v1alpha1.RemediationStep{Name: "watch", Action: v1alpha1.ActionWait, TimeoutSeconds: new(int32(600))}
}

func reboot() v1alpha1.RemediationStep {
	return v1alpha1.RemediationStep{Name: "reboot", Action: v1alpha1.ActionReboot, Attempts: 2, TimeoutSeconds: new(int32(1800))}
}

func collect() v1alpha1.RemediationStep {
	return v1alpha1.RemediationStep{
		Name: "collect", Action: v1alpha1.ActionRequest, DoneWhen: v1alpha1.DoneWhenRequestSucceeded, TimeoutSeconds: new(int32(900)),
		TemplateRef: &v1alpha1.StepTemplateReference{APIVersion: "logs.example.com/v1", Kind: "LogBundleTemplate", Name: "logs"},
	}
}

func request() v1alpha1.RemediationStep {
	return v1alpha1.RemediationStep{
		Name: "request", Action: v1alpha1.ActionRequest, DoneWhen: v1alpha1.DoneWhenMachineHealthy, TimeoutSeconds: new(int32(86400)),
		TemplateRef: &v1alpha1.StepTemplateReference{APIVersion: "fix.example.com/v1", Kind: "FixRemediationTemplate", Name: "fix"},
	}
}

func replace() v1alpha1.RemediationStep {
	return v1alpha1.RemediationStep{Name: "replace", Action: v1alpha1.ActionReplace, TimeoutSeconds: new(int32(3600))}
}

func holdStep() v1alpha1.RemediationStep {
	return v1alpha1.RemediationStep{Name: "ask", Action: v1alpha1.ActionHold}
}

// approvedStep is a step that a person must approve.
func approvedStep(step v1alpha1.RemediationStep) v1alpha1.RemediationStep {
	step.Approval = v1alpha1.ApprovalRequired
	return step
}

// change is one thing that is other than usual.
type change func(*Facts)

// plan is the record of a sick machine that a MachineSet owns, with a plan from a template. It was admitted just now, with a
// slot, and nothing has been done.
func plan(steps ...v1alpha1.RemediationStep) Facts {
	return Facts{
		Record: &v1alpha1.MachineRemediation{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "fleet", Name: "md-0-x7-5f2c9d1e-1", UID: recordUID, Generation: 1,
				Labels: map[string]string{v1alpha1.OpenLabel: ""}, Finalizers: []string{v1alpha1.RemediationFinalizer},
			},
			Spec: v1alpha1.MachineRemediationSpec{
				ClusterName:      "prod",
				MachineRef:       v1alpha1.RemediatedMachineReference{APIGroup: "cluster.x-k8s.io", Name: "md-0-x7", UID: "m-1"},
				HealthCheckRef:   v1alpha1.RemediationReference{Name: "workers", UID: "mhc-1"},
				TemplateRef:      &v1alpha1.PlanReference{Name: "metal", UID: "plan-1", Generation: 1},
				Finding:          v1alpha1.RemediationFinding{Reason: "ReadyUnhealthy", Since: *ago(time.Minute)},
				Steps:            steps,
				ProbationSeconds: new(int32(300)),
				Grant:            1,
			},
		},
		Machine: Machine{Health: Sick, Owner: machineSet()},
	}
}

// builtin is the same with a built-in plan of one step.
func builtin(step v1alpha1.RemediationStep) Facts {
	f := plan(step)
	f.Record.Spec.TemplateRef, f.Record.Spec.ProbationSeconds = nil, nil
	return f
}

// with applies changes, in order.
func with(f Facts, changes ...change) Facts {
	f.Record = f.Record.DeepCopy()
	if f.Request != nil {
		f.Request = new(*f.Request)
	}
	for _, c := range changes {
		c(&f)
	}
	return f
}

// decideAll carries a record on: it decides, stores and decides again, until there is something to do in the world or nothing.
func decideAll(f Facts, now time.Time) (Facts, Decision) {
	for range 20 {
		d := Decide(f, now)
		if !d.Store {
			return f, d
		}
		f.Record = f.Record.DeepCopy()
		f.Record.Status = d.Status
	}
	panic("a record does not settle")
}

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
	paused      = unsafe(func(s *Safety) { s.Paused = Cause{What: ClusterPaused} })
	onHold      = unsafe(func(s *Safety) { s.OnHold, s.HoldUntil = "ann holds it", noon.Add(time.Hour) })
	terminating = unsafe(func(s *Safety) { s.Terminating = Cause{What: ClusterDeleting} })
	otherLeads  = unsafe(func(s *Safety) { s.HandedOver = Said("MachineHealthCheck b repairs it") })
	unmanaged   = unsafe(func(s *Safety) { s.Unmanaged = Cause{What: NotSelected} })
)

func recordIsDeleted(f *Facts) { f.Record.DeletionTimestamp = ago(time.Minute) }

// marked has our mark on the machine, unanswered.
func marked(f *Facts) { f.Machine.Mark = Mark{State: MarkWaiting, Ours: true} }

// markedByOthers has a mark on the machine that is not ours.
func markedByOthers(f *Facts) { f.Machine.Mark = Mark{State: MarkWaiting} }

// withdrawing is a record that has said that it takes something back.
func withdrawing(f *Facts) {
	said(metav1.ConditionTrue, v1alpha1.ReasonWithdrawing, "Takes it back")(f)
}

func busyOwner(f *Facts) { f.Machine.OwnerActive = true }

// unreadable has nobody tell whether the request exists.
func unreadable(f *Facts) { f.Request.Unreadable = "no rights" }

// bounded has others wait for the slot of the record.
func bounded(f *Facts) { f.Bounded = true }

// hasHost says how long its Node may take to come back.
func hasHost(f *Facts) { f.BootTime = 20 * time.Minute }

func remediateAsked(f *Facts) { f.RemediateAsked = true }

// annotationAnswered has the annotation have been answered already.
func annotationAnswered(f *Facts) { f.Record.Status.AnnotationAnswered = true }

func jumpTo(step string) change { return func(f *Facts) { f.JumpTo = step } }

func startAt(step, reason string) change {
	return func(f *Facts) { f.Record.Spec.StartAt = &v1alpha1.RemediationStart{Step: step, Reason: reason} }
}

// hostWasOff has the host of the latest attempt have been off.
func hostWasOff(f *Facts) { Last(&f.Record.Status).HostOffAt = ago(time.Minute) }

// hostWasKept has somebody have kept the host until now.
func hostWasKept(f *Facts) { f.Record.Status.StoppedBy = byHost }

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
		s.Misconfigured = Cause{What: PlanMissing, Name: "workers", Detail: "metal"}
	})
	hidden      = unsafe(func(s *Safety) { s.OthersAtWork = Said("NVSentinel works on the Node") })
	paced       = unsafe(func(s *Safety) { s.Paced = "MachineSet md-0 cools down after the last repair" })
	gateClosed  = unsafe(func(s *Safety) { s.GateClosed = "3 of 3 are not healthy" })
	overBudget  = unsafe(func(s *Safety) { s.OverBudget = "2 of at most 1 are in flight" })
	actFailed   = unsafe(func(s *Safety) { s.Failed = "the webhook is down" })
	claimed     = unsafe(func(s *Safety) { s.HeldByOthers = Said("NVSentinel works on the Node") })
	keptOff     = unsafe(func(s *Safety) { s.KeptOff = Said("ann keeps the host off") })
	impossible  = unsafe(func(s *Safety) { s.Impossible = "the kind is not installed" })
	planProblem = unsafe(func(s *Safety) { s.PlanProblem = "rule x: no such key" })
)

// waits has the record wait for an attempt of a step, with a slot.
func waits(step string, attempt int32) change {
	return func(f *Facts) {
		f.Record.Status.Phase, f.Record.Status.Step, f.Record.Status.Attempt = v1alpha1.RemediationPending, step, attempt
	}
}

// begins adds an attempt whose act is not to be seen yet. It was asked for some time ago.
func begins(step string, before time.Duration) change {
	return func(f *Facts) {
		s := &f.Record.Status
		s.Phase, s.Step, s.Attempt = v1alpha1.RemediationActing, step, int32(len(s.Attempts)+1)
		s.StartTime = ago(before)
		s.Attempts = append(s.Attempts, v1alpha1.RemediationAttempt{
			Number: s.Attempt, Step: step, OperationID: OperationID(f.Record, s.Attempt), StartTime: ago(before),
		})
		if at, _ := StepNamed(f.Record, step); !Acts(at.Action) {
			begun(before)(f)
		}
	}
}

// begun has the latest attempt begin, some time ago.
func begun(before time.Duration) change {
	return func(f *Facts) {
		last := Last(&f.Record.Status)
		last.BeganAt = ago(before)
		at, _ := StepNamed(f.Record, last.Step)
		f.Record.Status.NextTransitionTime = ago(before - at.Timeout())
		if f.Request != nil && at.Action == v1alpha1.ActionReboot {
			f.Request.BeganAt = noon.Add(-before)
		}
	}
}

// works adds an attempt that was asked for some time ago, and has what it made stand. Requests and power cycles have begun then; an owner
// has not.
func works(step string, before time.Duration) change {
	return func(f *Facts) {
		asks(step, before)(f)
		if at, _ := StepNamed(f.Record, step); at.Action != v1alpha1.ActionReplace || f.Machine.Owner == nil {
			begun(before)(f)
		}
	}
}

// replacing adds an attempt that was asked for some time ago, and whose owner deleted the machine at once.
func replacing(before time.Duration) change {
	return func(f *Facts) {
		asks("replace", before)(f)
		begun(before)(f)
		f.Machine.DeletingSince = noon.Add(-before)
	}
}

// asks adds an attempt that was asked for some time ago, and has what it made stand. Nobody has begun it.
func asks(step string, before time.Duration) change {
	return func(f *Facts) {
		begins(step, before)(f)
		last := Last(&f.Record.Status)
		at, _ := StepNamed(f.Record, step)
		switch {
		case at.Action == v1alpha1.ActionReplace && f.Machine.Owner != nil:
			last.ObjectRef = f.Machine.Owner
			f.Machine.Mark = Mark{State: MarkWaiting, Ours: true}
		case at.Action == v1alpha1.ActionReplace:
			last.ObjectRef = thing("Machine", "md-0-x7")
			f.Machine.DeletingSince = noon.Add(-before)
		case at.Action == v1alpha1.ActionReboot:
			made("RebootRemediation")(f)
		case at.Action == v1alpha1.ActionRequest:
			made("Fix")(f)
		}
	}
}

// made has a request stand that the latest attempt has made.
func made(kind string) change {
	return func(f *Facts) {
		last := Last(&f.Record.Status)
		last.ObjectRef = thing(kind, fmt.Sprintf("r-%d", last.Number))
		f.Request = &Request{OperationID: last.OperationID, Ref: *last.ObjectRef}
	}
}

func thing(kind, name string) *v1alpha1.RemediationObjectReference {
	return &v1alpha1.RemediationObjectReference{APIVersion: "v1", Kind: kind, Name: name, UID: "u-1"}
}

// over ends the latest attempt, and nothing of it is left. One that counts had begun. The record waits for an attempt of a step.
func over(result v1alpha1.AttemptResult, next string) change {
	return func(f *Facts) {
		s := &f.Record.Status
		last := Last(s)
		last.EndTime, last.Result, last.Message = ago(time.Minute), result, "It did not help"
		if result.Counts() && last.ObjectRef != nil {
			last.BeganAt = last.StartTime
		}
		s.Phase, s.Step, s.Attempt, s.NextTransitionTime = v1alpha1.RemediationPending, next, last.Number+1, nil
		if next == "" {
			s.Phase = v1alpha1.RemediationHeld
		}
		f.Request, f.Machine.Mark = nil, Mark{}
	}
}

// endedBefore has the latest attempt end some time ago.
func endedBefore(before time.Duration) change {
	return func(f *Facts) { Last(&f.Record.Status).EndTime = ago(before) }
}

// recovering has the latest attempt end, some time ago, as the machine is healthy.
func recovering(before time.Duration) change {
	return func(f *Facts) {
		s := &f.Record.Status
		f.Machine.Health, f.Machine.Mark, f.Request = Healthy, Mark{}, nil
		s.Phase, s.RecoveryTime, s.NextTransitionTime = v1alpha1.RemediationProbation, ago(before), ago(before-f.Record.Spec.Probation())
		if last := Last(s); last != nil && last.EndTime == nil {
			last.EndTime = ago(before)
		}
	}
}

// completed ends the record.
func completed(f *Facts) {
	f.Record.Status.Phase, f.Record.Status.CompletionTime = v1alpha1.RemediationEnded, ago(time.Minute)
	f.Record.Status.ObservedGeneration = f.Record.Generation
}

// said is what the record says of its progress, for an hour.
func said(status metav1.ConditionStatus, reason, message string) change {
	return func(f *Facts) {
		meta.SetStatusCondition(&f.Record.Status.Conditions, metav1.Condition{
			Type: v1alpha1.ConditionProgressing, Status: status, Reason: reason, Message: message,
			ObservedGeneration: 1, LastTransitionTime: *ago(time.Hour),
		})
	}
}

// decides has a person answer about the attempt in question.
func decides(answer v1alpha1.Answer, step string) change {
	return func(f *Facts) {
		f.Record.Generation = 2
		f.Record.Spec.Decision = &v1alpha1.RemediationDecision{
			Attempt: max(1, f.Record.Status.Attempt), Answer: answer, Step: step, By: "ann",
		}
	}
}
