package machinehealthcheck

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// remediators is how many remedies are applied side by side. Each costs a few
// round trips; a storm of a thousand sick Machines must not wait for them in turn.
const remediators = 8

// lookAgain is how soon a Machine that was spared is looked at again: what spared it
// need not lead to an event, such as a Node that could not be read for a moment.
const lookAgain = 15 * time.Second

// attempts is how often a Machine is judged anew that changes while it is judged.
// Machines that get sick change a lot, and most changes are no reason to wait.
const attempts = 3

// act carries a decision out. One Machine's failure never stops the others. It
// returns when to look again even if no event comes; zero means no need.
func (r *Reconciler) act(ctx context.Context, f Facts, d Decision) (again time.Duration, err error) {
	errs := r.withdraw(ctx, f, d)
	if len(d.Remedies) == 0 || d.DryRun {
		return 0, errors.Join(errs...)
	}
	s, ok, err := r.confirm(ctx, f)
	if err != nil {
		return 0, errors.Join(append(errs, fmt.Errorf("reading the MachineHealthCheck once more: %w", err))...)
	}
	if !ok {
		return lookAgain, errors.Join(errs...)
	}
	done, failed := r.remediate(ctx, s, d.Remedies)
	if done < len(d.Remedies) {
		again = lookAgain
	}
	return again, errors.Join(append(errs, failed...)...)
}

// withdraw deletes the requests for Machines that are healthy again.
func (r *Reconciler) withdraw(ctx context.Context, f Facts, d Decision) []error {
	var errs []error
	for _, target := range d.Withdraw {
		if err := remedy.Withdraw(ctx, r.Client, target.Request); err != nil {
			errs = append(errs, err)
			continue
		}
		ctrl.LoggerFrom(ctx).Info("Remediation request withdrawn", "machine", target.Machine.Name)
		r.Recorder.Eventf(target.Machine, f.MachineHealthCheck, corev1.EventTypeNormal, EventRequestWithdrawn, eventAction, "Machine is healthy again")
	}
	return errs
}

// remediate applies remedies, a few at a time, in the order given. It returns how
// many were applied.
func (r *Reconciler) remediate(ctx context.Context, s scope, due []Remedy) (done int, errs []error) {
	var group sync.WaitGroup
	slots := make(chan struct{}, remediators)
	errs = make([]error, len(due))
	applied := make([]bool, len(due))
	for i := range due {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			applied[i], errs[i] = r.remediateOne(ctx, s, due[i])
		})
	}
	group.Wait()
	for _, ok := range applied {
		if ok {
			done++
		}
	}
	return done, errs
}

// remediateOne looks at one Machine once more and applies its remedy. A Machine
// that changes between the look and the remedy is looked at anew.
func (r *Reconciler) remediateOne(ctx context.Context, s scope, due Remedy) (applied bool, err error) {
	log := ctrl.LoggerFrom(ctx).WithValues("machine", due.Target.Machine.Name, "remedy", due.Kind)
	for range attempts {
		machine, spared, err := r.examine(ctx, s, due)
		if err != nil {
			countRemediation(due.Kind, outcomeFailed)
			return false, err
		}
		if spared != "" {
			log.Info("Machine spared", "why", spared)
			countRemediation(due.Kind, outcomeSpared)
			return false, nil
		}
		done, err := r.Remedies.Apply(ctx, due.Kind, remedy.Patient{Machine: machine, MachineHealthCheck: s.mhc})
		if apierrors.IsConflict(err) {
			continue
		}
		return err == nil, r.report(ctx, s, due, machine, done, err)
	}
	log.V(1).Info("Machine changes too fast to be judged")
	return false, nil
}

// report notes what came of a remedy, and tells it.
func (r *Reconciler) report(ctx context.Context, s scope, due Remedy, machine *clusterv1.Machine, done string, err error) error {
	if err != nil {
		countRemediation(due.Kind, outcomeFailed)
		r.Recorder.Eventf(machine, s.mhc, corev1.EventTypeWarning, EventRemediationFailed, eventAction, "%s", err.Error())
		return err
	}
	r.acted.note(client.ObjectKeyFromObject(s.mhc), machine.UID, r.Clock.Now())
	countRemediation(due.Kind, outcomeStarted)
	verdict := due.Target.verdict().Message
	ctrl.LoggerFrom(ctx).Info("Remediation started", "machine", machine.Name, "remedy", due.Kind, "done", done, "verdict", verdict)
	r.Recorder.Eventf(machine, s.mhc, corev1.EventTypeNormal, EventRemediationStarted, eventAction,
		"%s, on account of MachineHealthCheck %s: %s", capital(done), s.mhc.Name, verdict)
	return nil
}
