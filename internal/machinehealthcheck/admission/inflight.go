package admission

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
)

// inFlight returns the machines that take a slot, by UID with their names: those of records in flight, and those that
// are being deleted for whatever reason; nil if there are none.
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
