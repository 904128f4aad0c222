package machinehealthcheck

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// lookAgain is how soon a Machine that was spared is looked at again: what spared it
// need not lead to an event, such as a Node that could not be read for a moment.
const lookAgain = 15 * time.Second

// act carries a decision out. One Machine's failure never stops the others. It
// returns when to look again even if no event comes; zero means no need.
func (r *Reconciler) act(ctx context.Context, f Facts, d Decision) (again time.Duration, err error) {
	if d.DryRun || len(d.Remedies)+len(d.Withdraw) == 0 {
		return 0, nil
	}
	s, ok, err := r.confirm(ctx, f)
	if err != nil {
		return 0, fmt.Errorf("reading the MachineHealthCheck once more: %w", err)
	}
	if !ok {
		return lookAgain, nil
	}
	errs := r.withdraw(ctx, s, d.Withdraw)
	settled, failed := r.remediate(ctx, s, d.Remedies, d.Next)
	if !settled {
		again = lookAgain
	}
	return again, errors.Join(append(errs, failed...)...)
}

// withdraw deletes the requests for Machines that are healthy again.
func (r *Reconciler) withdraw(ctx context.Context, s scope, recovered []Target) []error {
	var errs []error
	for _, target := range recovered {
		withdrawn, err := remedy.Withdraw(ctx, r.Client, target.Request)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if withdrawn {
			ctrl.LoggerFrom(ctx).Info("Remediation request withdrawn", "machine", target.Machine.Name)
			r.event(target.Machine, s.mhc, corev1.EventTypeNormal, EventRequestWithdrawn, "Machine is healthy again")
		}
	}
	return errs
}
