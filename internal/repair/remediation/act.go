package remediation

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// maxLookAge is the maximum age of an observation when an act begins. A process that was stopped in between, or whose reads hang,
// has to observe again.
const maxLookAge = 15 * time.Second

// act makes one write in the world, and stores its result. If the write misses its Machine, the error asks for another look, unless
// this is the last attempt.
func (r *Reconciler) act(ctx context.Context, record *v1alpha1.MachineRemediation, v *view, decision ladder.Decision, last bool) error {
	if decision.Act == ladder.Close {
		if done, err := r.sweep(ctx, record); !done || err != nil {
			return err
		}
		if err := r.writes().close(ctx, record); err != nil {
			return err
		}
		r.memory.Expect(record)
		return nil
	}
	if decision.Act.Begins() && r.Clock.Now().Sub(v.at) > maxLookAge {
		// Meanwhile another process may lead, and may have done this and more.
		ctrl.LoggerFrom(ctx).Info("Looking again: the look before the act took too long", "machine", record.Spec.MachineRef.Name)
		return fmt.Errorf("the look began %s ago: %w", r.Clock.Now().Sub(v.at), errStale)
	}
	began := r.Clock.Now()
	err := r.write(ctx, record, v, decision)
	r.Tracer.Acted(record, string(decision.Act), decision.Attempt.Step, decision.Attempt.Number, began, r.Clock.Now(), err)
	switch {
	case err == nil:
		ctrl.LoggerFrom(ctx).Info("Act carried out", "act", decision.Act, "machine", record.Spec.MachineRef.Name, "step", decision.Attempt.Step,
			"attempt", decision.Attempt.Number, "reason", record.Spec.Finding.Reason)
		return r.follow(ctx, record, v, decision)
	case errors.Is(err, errStale), errors.Is(err, errNotTried), errors.Is(err, remedy.ErrChanged) && !last:
		return err
	}
	return r.afterFailedAct(ctx, record, v, decision, err)
}

func (r *Reconciler) write(ctx context.Context, record *v1alpha1.MachineRemediation, v *view, decision ladder.Decision) error {
	asked := remedy.Request{Record: record, Attempt: decision.Attempt, Step: decision.Step}
	switch decision.Act {
	case ladder.MarkForOwner:
		var tests []ownwrites.Op
		if v.how == bound {
			tests = append(tests, ownwrites.TestVersion(v.machine))
		}
		return remedy.Mark(ctx, r.Client, v.machine, r.Clock.Now(), tests...)
	case ladder.DeleteMachine:
		return remedy.DeleteMachine(ctx, r.Client, r.Live, v.machine)
	case ladder.CreateRequest:
		uid, err := remedy.MakeRequest(ctx, r.Client, r.Live, asked)
		if err == nil {
			v.noteMade(asked, uid)
		}
		return err
	case ladder.CreateReboot:
		return r.makeReboot(ctx, v, asked)
	case ladder.WithdrawMark:
		return remedy.WithdrawMark(ctx, r.Client, v.machine)
	case ladder.WithdrawRequest:
		return r.withdrawRequest(ctx, record, v, decision)
	default:
		// None and Close write nothing on machines.
	}
	return fmt.Errorf("there is no act %q", decision.Act)
}

// unchanged reads a record once more past the cache. Another process may have begun the next attempt meanwhile; its request must
// not be withdrawn as unknown.
func (r *Reader) unchanged(ctx context.Context, record *v1alpha1.MachineRemediation) error {
	latest, err := liveRecord(ctx, r.Live, record)
	if err != nil {
		return err
	}
	if latest.ResourceVersion != record.ResourceVersion {
		return fmt.Errorf("MachineRemediation %s: %w", client.ObjectKeyFromObject(record), errStale)
	}
	return nil
}

// follow decides on the result of the write without waiting for the cache to show it, and stores the decision. The answer to the
// write is as good as a read.
func (r *Reconciler) follow(ctx context.Context, record *v1alpha1.MachineRemediation, v *view, done ladder.Decision) error {
	if v.machine != nil {
		if err := r.machineFacts(ctx, v); err != nil {
			return err
		}
	}
	if done.Act == ladder.DeleteMachine {
		if err := r.noteDeletion(ctx, record, v, done.Step); err != nil {
			return err
		}
	}
	if !v.goneUnread {
		if err := r.requestFacts(ctx, v); err != nil {
			return err
		}
	}
	decision := ladder.Decide(v.facts, r.Clock.Now())
	switch {
	case !decision.Store:
		return nil
	case done.Act == ladder.MarkForOwner && r.queue.othersWait():
		r.putOff.keep(record, v, decision)
		return errPutOff
	}
	return r.store(ctx, record, v, decision)
}

// noteDeletion notes that Sickbay has deleted the Machine, and when. A machine that its owner makes instead is younger than that by the API server's clock,
// so that clock counts where one is waited for.
func (r *Reader) noteDeletion(ctx context.Context, record *v1alpha1.MachineRemediation, v *view, step v1alpha1.RemediationStep) error {
	v.facts.Machine.DeletingSince = r.Clock.Now()
	if !step.Deletes() {
		return nil
	}
	machine, err := r.machineOf(ctx, r.Live, record)
	switch {
	case err != nil:
		return err
	case machine == nil:
		v.facts.Machine = ladder.Machine{Gone: true, Maker: v.facts.Machine.Maker}
	case !machine.DeletionTimestamp.IsZero():
		v.facts.Machine.DeletingSince = machine.DeletionTimestamp.Time
	}
	return nil
}

// errNotTried says that a write was not tried.
var errNotTried = errors.New("nothing was written")

// withdrawRequest deletes the object that an attempt made. If that cannot be read, the answer to the deletion is all there is to know: "not
// found" means that it is gone.
func (r *Reconciler) withdrawRequest(ctx context.Context, record *v1alpha1.MachineRemediation, v *view, decision ladder.Decision) error {
	if err := r.unchanged(ctx, record); err != nil {
		return fmt.Errorf("%w: %w", errNotTried, err)
	}
	gone, err := remedy.WithdrawRequest(ctx, r.Client, record.Namespace, *decision.Attempt.ObjectRef)
	if err != nil {
		return err
	}
	v.deletedUnread = v.facts.Request != nil && v.facts.Request.Unreadable != ""
	if v.deletedUnread && gone {
		v.goneUnread, v.facts.Request = true, nil
	}
	return nil
}

// afterFailedAct reads whether a write whose answer was lost took place. If not, the record steps back. A failed withdrawal is retried, and
// reported.
func (r *Reconciler) afterFailedAct(ctx context.Context, record *v1alpha1.MachineRemediation, v *view, tried ladder.Decision, cause error) error {
	ctrl.LoggerFrom(ctx).Info("Act not carried out", "act", tried.Act, "machine", record.Spec.MachineRef.Name, "step", tried.Attempt.Step,
		"attempt", tried.Attempt.Number, "reason", record.Spec.Finding.Reason, "error", cause.Error())
	found, err := r.observe(ctx, record, confirmed, v)
	if err != nil {
		return errors.Join(cause, err)
	}
	*v = *found
	facts := v.facts
	switch {
	case !tried.Act.Begins():
		facts.Safety.Stuck = ownwrites.Note(ownwrites.Cause(cause))
	case errors.Is(cause, remedy.ErrChanged):
		facts.Safety.Changed = true
	case meta.IsNoMatchError(cause):
		facts.Safety.Impossible = couldNot(cause)
	default:
		facts.Safety.Failed = couldNot(cause)
	}
	decision := ladder.Decide(facts, r.Clock.Now())
	if decision.Store {
		err = r.store(ctx, record, v, decision)
	}
	if err == nil && ladder.Progress(&record.Status).Reason == v1alpha1.ReasonWithdrawing {
		return cause
	}
	return err
}

// store writes the status, and announces what changed.
func (r *Reconciler) store(ctx context.Context, record *v1alpha1.MachineRemediation, v *view, decision ladder.Decision) error {
	before := record.DeepCopy()
	record.Status = decision.Status
	if err := r.writes().status(ctx, record); err != nil {
		return err
	}
	r.memory.Expect(record)
	measure(before, record)
	r.Tracer.Stored(before, record)
	r.announce(ctx, before, record, v)
	return nil
}

// stale marks errors about a record that has changed since it was read, or is gone.
func stale(err error) error {
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return fmt.Errorf("%w: %w", errStale, err)
	}
	return err
}
