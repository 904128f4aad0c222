package machinehealthcheck

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/successor"
)

// observeAwaited records which machines open records wait for as replacements, and judge. While a deletion hangs, the replacement
// is unknown: a new machine may be unrelated.
func (r *Reader) observeAwaited(ctx context.Context, f *admission.Facts, records []*v1alpha1.MachineRemediation) error {
	if !slices.ContainsFunc(records, awaits) {
		return nil
	}
	machines, err := mhcspec.MachinesOf(ctx, r.Cache, client.ObjectKeyFromObject(f.Cluster))
	if err != nil {
		return err
	}
	there := map[types.UID]bool{}
	for i := range machines {
		there[machines[i].UID] = true
	}
	successors := successor.All(machines, records)
	for i := range records {
		if awaited := successors[records[i].UID]; awaited != nil && awaits(records[i]) && !there[records[i].Spec.MachineRef.UID] {
			f.Await(awaited.UID, records[i].Name)
		}
	}
	return nil
}

// awaits reports whether a record judges a machine as its replacement: it follows a plan and is at work.
func awaits(r *v1alpha1.MachineRemediation) bool {
	return !ladder.Ended(r) && !r.Spec.BuiltIn() && ladder.AtWork(r) != nil
}
