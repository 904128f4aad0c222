package machinehealthcheck

import (
	"context"
	"errors"
	"net"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// remediators is how many remedies are applied side by side. Each costs a few
// round trips; a storm of a thousand sick Machines must not wait for them in turn.
const remediators = 8

// attempts is how often a Machine is judged anew that changes while it is judged.
// Machines that get sick change a lot, and most changes are no reason to wait.
const attempts = 3

// outcome is what came of one remedy that was due.
type outcome struct {
	machine types.UID
	// applied tells that it was applied.
	applied bool
	// occupied tells that a remedy is, or may be, at work although we cannot say
	// that we applied it. Without it, the place in the budget goes to the next.
	occupied bool
	err      error
}

// remediate applies the remedies that are due. One that turns out not to be needed,
// or that cannot be applied, gives its place in the budget to the next: else a
// single Machine could hold up all others for ever. Settled tells that all were
// applied, so that there is nothing to come back for.
func (r *Reconciler) remediate(ctx context.Context, s scope, due, next []Remedy) (settled bool, errs []error) {
	settled = true
	failures := map[types.UID]string{}
	for len(due) > 0 {
		places := 0
		for _, o := range r.remediateAll(ctx, s, due) {
			if !o.applied {
				settled = false
			}
			if !o.applied && !o.occupied {
				places++
			}
			if o.err != nil {
				errs = append(errs, o.err)
				failures[o.machine] = o.err.Error()
			}
		}
		n := min(places, len(next))
		due, next = next[:n], next[n:]
	}
	r.failures.replace(client.ObjectKeyFromObject(s.mhc), failures)
	return settled, errs
}

// remediateAll applies remedies, a few at a time, in the order given.
func (r *Reconciler) remediateAll(ctx context.Context, s scope, due []Remedy) []outcome {
	var group sync.WaitGroup
	slots := make(chan struct{}, remediators)
	outcomes := make([]outcome, len(due))
	for i := range due {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			outcomes[i] = r.remediateOne(ctx, s, due[i])
			outcomes[i].machine = due[i].Target.Machine.UID
			r.count(s, due[i], outcomes[i])
		})
	}
	group.Wait()
	return outcomes
}

// remediateOne looks at one Machine once more and applies its remedy. A Machine
// that changes between the look and the remedy is looked at anew.
func (r *Reconciler) remediateOne(ctx context.Context, s scope, due Remedy) outcome {
	log := ctrl.LoggerFrom(ctx).WithValues("machine", due.Target.Machine.Name, "remedy", due.Kind)
	for range attempts {
		machine, spared, err := r.examine(ctx, s, due)
		if err != nil {
			return outcome{err: err}
		}
		if spared != "" {
			log.Info("Machine spared", "why", spared)
			return outcome{occupied: spared == sparedInFlight}
		}
		done, err := r.Remedies.Apply(ctx, due.Kind, remedy.Patient{Machine: machine, MachineHealthCheck: s.mhc})
		if apierrors.IsConflict(err) || errors.Is(err, remedy.ErrGone) {
			continue
		}
		return r.report(ctx, s, due, machine, done, err)
	}
	log.V(1).Info("Machine changes too fast to be judged")
	return outcome{occupied: true}
}

// report tells what came of applying a remedy.
func (r *Reconciler) report(ctx context.Context, s scope, due Remedy, machine *clusterv1.Machine, done string, err error) outcome {
	if err != nil {
		if r.failures.isNew(client.ObjectKeyFromObject(s.mhc), machine.UID, err.Error()) {
			r.event(machine, s.mhc, corev1.EventTypeWarning, EventRemediationFailed, err.Error())
		}
		return outcome{occupied: mayBeApplied(err), err: err}
	}
	verdict := due.Target.verdict().Message
	ctrl.LoggerFrom(ctx).Info("Remediation started", "machine", machine.Name, "remedy", due.Kind, "done", done, "verdict", verdict)
	r.event(machine, s.mhc, corev1.EventTypeNormal, EventRemediationStarted,
		capital(done)+", on account of MachineHealthCheck "+s.mhc.Name+": "+verdict)
	return outcome{applied: true}
}

// count notes an outcome for the budget and for the metrics.
func (r *Reconciler) count(s scope, due Remedy, o outcome) {
	if o.applied || o.occupied {
		r.acted.note(client.ObjectKeyFromObject(s.mhc), o.machine, r.Clock.Now())
	}
	switch {
	case o.applied:
		countRemediation(due.Kind, outcomeStarted)
	case o.err != nil:
		countRemediation(due.Kind, outcomeFailed)
	default:
		countRemediation(due.Kind, outcomeSpared)
	}
}

// mayBeApplied tells whether a write may have gone through although it failed: the
// answer got lost on the way, and only time can tell.
func mayBeApplied(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) ||
		apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err) || apierrors.IsInternalError(err) ||
		apierrors.IsServiceUnavailable(err) || apierrors.IsUnexpectedServerError(err)
}
