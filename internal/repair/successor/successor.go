// Package successor says which machine replaces that of a record. It is pure.
//
// An owner that is asked for another machine makes one under a new name, and only a control plane says whom it replaces. So a record
// has a claim on the owner's machines that come after the deletion of its own, and claims are served in the order of the deletions.
package successor

import (
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Awaited reports whether a record has a claim on another machine.
func Awaited(record *v1alpha1.MachineRemediation) bool { return claimOf(record) != nil }

// Of returns the machine that replaces that of a record; nil if there is none yet.
func Of(record *v1alpha1.MachineRemediation, machines []*clusterv1.Machine, records []*v1alpha1.MachineRemediation) *clusterv1.Machine {
	own := claimOf(record)
	if own == nil || ladder.Ended(record) {
		return nil
	}
	return OfOwner(own.owner, machines, records)[record.UID]
}

// All returns the replacements for the machines of all records that wait for one, by the UID of the record.
func All(machines []*clusterv1.Machine, records []*v1alpha1.MachineRemediation) map[types.UID]*clusterv1.Machine {
	claims, made := claimsOn(machines, records), map[recordstore.Maker][]*clusterv1.Machine{}
	for _, machine := range machines {
		for _, maker := range recordstore.MakersOf(machine) {
			if claims[maker] != nil {
				made[maker] = append(made[maker], machine)
			}
		}
	}
	all := map[types.UID]*clusterv1.Machine{}
	for owner, its := range claims {
		maps.Copy(all, assign(its, made[owner]))
	}
	return all
}

// OfOwner returns the same for the records that wait for a machine of one owner.
func OfOwner(owner recordstore.Maker, machines []*clusterv1.Machine, records []*v1alpha1.MachineRemediation) map[types.UID]*clusterv1.Machine {
	return All(machines, slices.DeleteFunc(slices.Clone(records), func(r *v1alpha1.MachineRemediation) bool {
		c := claimOf(r)
		return c == nil || c.owner != owner
	}))
}

// assign assigns the machines of an owner to the open records that claim them. A record keeps the machine that it claimed
// before. A control plane names the machine that a new one replaces. For a MachineSet, the oldest new machine goes to the record
// whose machine was deleted first, and so on.
func assign(claims []*claim, machines []*clusterv1.Machine) map[types.UID]*clusterv1.Machine {
	come := since(earliest(claims), machines)
	given := map[types.UID]*clusterv1.Machine{}
	taken := make([]bool, len(come))
	give := func(c *claim, i int) {
		taken[i] = true
		if !ladder.Ended(c.record) {
			given[c.record.UID] = come[i]
		}
	}
	known := namesOfRecords(come, claims)
	for _, c := range claims {
		if ref := c.record.Status.ReplacementRef; ref != nil {
			if i, ok := known[ref.Name]; ok {
				give(c, i)
			}
		}
	}
	first := 0
	for _, c := range claims {
		if c.record.Status.ReplacementRef != nil {
			continue
		}
		for first < len(come) && taken[first] {
			first++
		}
		for i := first; i < len(come); i++ {
			if !taken[i] && c.takes(come[i]) {
				give(c, i)
				break
			}
		}
	}
	return given
}

// earliest is the earliest creation time of a machine that can be claimed.
func earliest(claims []*claim) time.Time {
	var since time.Time
	for i, c := range claims {
		if at := c.since(); i == 0 || at.Before(since) {
			since = at
		}
	}
	return since
}

// since returns the machines that were created since then, oldest first. Those that name the one they replace come before the others.
func since(at time.Time, machines []*clusterv1.Machine) []*clusterv1.Machine {
	var all []*clusterv1.Machine
	for _, machine := range machines {
		if !machine.CreationTimestamp.Time.Before(at) {
			all = append(all, machine)
		}
	}
	slices.SortFunc(all, byAge)
	return all
}

// ControlledBy reports whether an owner controls a machine.
func ControlledBy(owner types.UID, machine *clusterv1.Machine) bool {
	controller := metav1.GetControllerOfNoCopy(machine)
	return controller != nil && controller.UID == owner
}
