package admission

import (
	"maps"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// inFlight returns the machines that take a slot, by UID with their names: those of records in flight, and all that are being
// deleted; nil if there are none.
func (f Facts) inFlight() map[types.UID]string {
	var all map[types.UID]string
	add := func(uid types.UID, name string) {
		if all == nil {
			all = map[types.UID]string{}
		}
		all[uid] = name
	}
	for _, r := range f.Records {
		if ladder.InFlight(r) {
			add(r.Spec.MachineRef.UID, r.Spec.MachineRef.Name)
		}
	}
	for i := range f.Targets {
		if target := &f.Targets[i]; target.deleting() {
			add(target.Machine.UID, target.Machine.Name)
		}
	}
	return all
}

// underRepair returns the machines in flight, and those on which an open record without a slot has asked for something: a former
// leader was late, and the record does not know yet.
func (f Facts) underRepair() map[types.UID]string {
	waiting := map[types.UID]*v1alpha1.MachineRemediation{}
	for _, r := range f.Records {
		if !ladder.Ended(r) && !ladder.InFlight(r) {
			waiting[r.Spec.MachineRef.UID] = r
		}
	}
	late := map[types.UID]string{}
	for i := range f.Targets {
		machine := f.Targets[i].Machine
		if r := waiting[machine.UID]; r != nil && hasLeftTrace(machine, r) {
			late[machine.UID] = machine.Name
		}
	}
	maps.Copy(late, f.inFlight())
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
