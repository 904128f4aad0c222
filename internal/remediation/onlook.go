package remediation

import (
	"context"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

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

// OnMachine is what the next step of a record depends on that its Machine says.
func OnMachine(machine *clusterv1.Machine, record *v1alpha1.MachineRemediation, mhc *clusterv1.MachineHealthCheck, now time.Time) ladder.Facts {
	_, asked := machine.Annotations[clusterv1.RemediateMachineAnnotation]
	return ladder.Facts{
		Record: record, Machine: ownFacts(machine, mhc, record, now), RemediateAsked: asked,
		Safety: ladder.Safety{HeldByOthers: rebootOfOthers(machine, record.UID), KeptOff: keptOff(machine)},
	}
}
