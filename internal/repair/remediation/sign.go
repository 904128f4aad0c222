package remediation

import (
	"context"
	"errors"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// makeReboot makes the RebootRemediation of an attempt, and shows it on the Machine. The cycle does not wait for that sign.
func (r *Reconciler) makeReboot(ctx context.Context, v *view, asked remedy.Request) error {
	uid, err := remedy.MakeReboot(ctx, r.Client, r.Live, asked)
	if err != nil {
		return err
	}
	v.noteMade(asked, uid)
	if err := remedy.Sign(ctx, r.Client, v.machine, asked.Attempt.OperationID); err != nil {
		ctrl.LoggerFrom(ctx).Info("Not shown on the Machine", "machine", v.machine.Name, "error", err.Error())
	}
	return nil
}

// tidySign removes the sign of an attempt that is over. It comes last, so that nothing waits for it; if it fails, it is tried again.
func (r *Reconciler) tidySign(ctx context.Context, record *v1alpha1.MachineRemediation, v *view) error {
	if v == nil || v.machine == nil || !v.machine.DeletionTimestamp.IsZero() || !remedy.HasSign(v.machine, record.UID) {
		return nil
	}
	attempt := ladder.AtWork(record)
	if askedByAnnotation(record) && !ladder.Ended(record) {
		// It shows that the annotation is answered.
		return nil
	}
	if attempt != nil && attempt.OperationID == v.machine.Annotations[rebootannotation.Request] {
		return nil
	}
	if err := remedy.RemoveSign(ctx, r.Client, v.machine, record.UID); !errors.Is(err, remedy.ErrChanged) {
		return err
	}
	return errStale
}
