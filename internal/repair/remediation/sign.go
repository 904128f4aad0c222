package remediation

import (
	"context"
	"errors"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
)

// makeReboot makes the RebootRemediation of an attempt, and shows it on the Machine. The cycle does not wait for that sign.
func (r *Reconciler) makeReboot(ctx context.Context, v *view, asked remedy.Request) error {
	uid, err := remedy.MakeReboot(ctx, r.Client, r.Live, asked)
	if err != nil {
		return err
	}
	v.noteMade(asked, uid)
	r.sign(ctx, v, asked.Attempt.OperationID)
	return nil
}

// sign shows a cycle on the Machine. If that fails, the next look tries again.
func (r *Reconciler) sign(ctx context.Context, v *view, operation string) {
	if err := remedy.Sign(ctx, r.Client, v.machine, operation); err != nil {
		ctrl.LoggerFrom(ctx).Info("Not shown on the Machine", "machine", v.machine.Name, "error", err.Error())
	}
}

// tidySign has the Machine show the cycle at work, and none that is over. It comes last, so that nothing waits for it.
func (r *Reconciler) tidySign(ctx context.Context, record *v1alpha1.MachineRemediation, v *view) error {
	if v == nil || v.machine == nil || !v.machine.DeletionTimestamp.IsZero() {
		return nil
	}
	switch cycle := onmachine.CycleAtWork(record); {
	case cycle == v.machine.Annotations[rebootannotation.Request]:
	case cycle != "" && (remedy.HasSign(v.machine, record.UID) || !onmachine.AskedByAnnotation(record)):
		// The process may have ended right after it made the cycle. An annotation that is gone is withdrawn, and does not come back.
		if !v.facts.Safety.Paused.IsSet() {
			r.sign(ctx, v, cycle)
		}
	case onmachine.SignOver(v.machine, record):
		return r.removeSign(ctx, record, v)
	}
	return nil
}

// removeSign removes the sign of a cycle that is over.
func (r *Reconciler) removeSign(ctx context.Context, record *v1alpha1.MachineRemediation, v *view) error {
	err := remedy.RemoveSign(ctx, r.Client, v.machine, record.UID)
	if errors.Is(err, remedy.ErrChanged) {
		return errStale
	}
	return err
}
