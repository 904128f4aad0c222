package admission

import (
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// inFlight returns the machines that take a slot, by UID with their names: those of records in flight, and all that are being
// deleted; nil if there are none. A deletion that hangs for longer than [ladder.DeletionTime] takes none, or one finalizer would stop all repairs. A
// machine that somebody pauses meanwhile is no target any more: its record says that its deletion hangs.
func (f Facts) inFlight(now time.Time) map[types.UID]string {
	var all map[types.UID]string
	add := func(uid types.UID, name string) {
		if all == nil {
			all = map[types.UID]string{}
		}
		all[uid] = name
	}
	for _, r := range f.Records {
		if ladder.InFlight(r) && !ladder.DeletionOverdue(r) {
			add(r.Spec.MachineRef.UID, r.Spec.MachineRef.Name)
		}
	}
	for i := range f.Targets {
		target := &f.Targets[i]
		switch {
		case target.hangs(now):
			delete(all, target.Machine.UID)
		case target.deleting():
			add(target.Machine.UID, target.Machine.Name)
		}
	}
	return all
}

// nextHangs returns when the next deletion has taken so long that it takes no slot any more; zero if there is none.
func (f Facts) nextHangs(now time.Time) time.Time {
	var next time.Time
	for i := range f.Targets {
		if target := &f.Targets[i]; target.deleting() && !target.hangs(now) {
			next = healthcheck.Earliest(next, target.Machine.DeletionTimestamp.Add(ladder.DeletionTime))
		}
	}
	return next
}

// underRepair returns the machines in flight, and those on which an open record without a slot has asked for something: a former
// leader was late, and the record does not know yet.
func (f Facts) underRepair(now time.Time) map[types.UID]string {
	waiting := map[types.UID]*v1alpha1.MachineRemediation{}
	for _, r := range f.Records {
		if !ladder.Ended(r) && !ladder.InFlight(r) {
			waiting[r.Spec.MachineRef.UID] = r
		}
	}
	late := map[types.UID]string{}
	for i := range f.Targets {
		machine := f.Targets[i].Machine
		if r := waiting[machine.UID]; r != nil && !f.Targets[i].hangs(now) && hasLeftTrace(machine, r) {
			late[machine.UID] = machine.Name
		}
	}
	maps.Copy(late, f.inFlight(now))
	return late
}

// hasLeftTrace reports whether a record has asked for something on its Machine.
func hasLeftTrace(machine *clusterv1.Machine, r *v1alpha1.MachineRemediation) bool {
	if ladder.IsOperationOf(r.UID, machine.Annotations[rebootannotation.Request]) {
		return true
	}
	mark := meta.FindStatusCondition(machine.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
	return mark != nil && mark.Status == metav1.ConditionFalse && ownwrites.Wrote(machine, mark.Type, ownwrites.RemediationFieldOwner)
}
