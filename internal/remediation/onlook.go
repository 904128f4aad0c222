package remediation

import (
	"context"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
)

// Look observes what the next step of a record depends on, as Reconcile does, from the caches alone, and acts on nothing. What
// is only looked at before an act, such as the gate, is missing from it.
func (r *Reconciler) Look(ctx context.Context, record *v1alpha1.MachineRemediation) (ladder.Facts, error) {
	v, err := r.see(ctx, record, nil, cached, nil)
	if err != nil {
		return ladder.Facts{}, err
	}
	return v.facts, nil
}
