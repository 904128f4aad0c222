package machinehealthcheck

import (
	"context"
	"errors"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// remediators is how many remedies are applied side by side. Each costs a few
// round trips; a storm of a thousand sick Machines must not wait for them in turn.
const remediators = 8

// act carries a decision out. One Machine's failure never stops the others.
func (r *Reconciler) act(ctx context.Context, f Facts, d Decision) error {
	var errs []error
	for _, target := range d.Withdraw {
		if err := remedy.Withdraw(ctx, r.Client, target.Request); err != nil {
			errs = append(errs, err)
			continue
		}
		ctrl.LoggerFrom(ctx).Info("Remediation request withdrawn", "machine", target.Machine.Name)
		r.Recorder.Eventf(target.Machine, f.MachineHealthCheck, corev1.EventTypeNormal, EventRequestWithdrawn, eventAction, "Machine is healthy again")
	}
	if len(d.Remedies) == 0 || d.DryRun {
		return errors.Join(errs...)
	}
	s, ok, err := r.confirm(ctx, f)
	if err != nil {
		return errors.Join(append(errs, fmt.Errorf("reading the MachineHealthCheck once more: %w", err))...)
	}
	if !ok {
		return errors.Join(errs...)
	}
	return errors.Join(append(errs, r.remediate(ctx, s, d.Remedies)...)...)
}

// remediate applies remedies, a few at a time, in the order given.
func (r *Reconciler) remediate(ctx context.Context, s scope, due []Remedy) []error {
	var group sync.WaitGroup
	slots := make(chan struct{}, remediators)
	errs := make([]error, len(due))
	for i := range due {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			errs[i] = r.remediateOne(ctx, s, due[i])
		})
	}
	group.Wait()
	return errs
}

// remediateOne looks at one Machine once more and applies its remedy.
func (r *Reconciler) remediateOne(ctx context.Context, s scope, due Remedy) error {
	log := ctrl.LoggerFrom(ctx).WithValues("machine", due.Target.Machine.Name, "remedy", due.Kind)
	machine, spared, err := r.examine(ctx, s, due)
	if err != nil {
		countRemediation(due.Kind, outcomeFailed)
		return err
	}
	if spared != "" {
		log.Info("Machine spared", "why", spared)
		countRemediation(due.Kind, outcomeSpared)
		return nil
	}
	done, err := r.Remedies.Apply(ctx, due.Kind, remedy.Patient{Machine: machine, MachineHealthCheck: s.mhc})
	if apierrors.IsConflict(err) {
		// The Machine has changed since it was judged. Its event brings us back.
		log.V(1).Info("Machine changed while it was judged")
		return nil
	}
	if err != nil {
		countRemediation(due.Kind, outcomeFailed)
		r.Recorder.Eventf(machine, s.mhc, corev1.EventTypeWarning, EventRemediationFailed, eventAction, "%s", err.Error())
		return err
	}
	r.acted.note(client.ObjectKeyFromObject(s.mhc), machine.UID, r.Clock.Now())
	countRemediation(due.Kind, outcomeStarted)
	log.Info("Remediation started", "done", done, "verdict", due.Target.verdict().Message)
	r.Recorder.Eventf(machine, s.mhc, corev1.EventTypeNormal, EventRemediationStarted, eventAction,
		"%s, on account of MachineHealthCheck %s: %s", capital(done), s.mhc.Name, due.Target.verdict().Message)
	return nil
}
