package admission

import (
	"cmp"
	"slices"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
)

// Admission is a machine that gets a record, or another slot for its record.
type Admission struct {
	Machine *clusterv1.Machine
	// Record is the record that gets a slot; nil if one is created.
	Record *v1alpha1.MachineRemediation
	// Grant is the new spec.grant. A new record with 0 has no slot: a person must approve its first act.
	Grant int32
	// Stray names what was asked for the machine without a record; empty if nothing.
	Stray string
	// Start says where in the plan a new record begins; nil if at its first step.
	Start *v1alpha1.RemediationStart
	// Host is the bare-metal host of the machine; nil if it has none.
	Host *v1alpha1.RemediationReference

	// awaitedBy is the record of another machine that judges this one; empty if none does.
	awaitedBy string
	// fruitless is how many slots, or attempts to grant one, led to nothing.
	fruitless int
	since     time.Time
}

// first reports whether the repair has not begun, so that the lower bound of a range applies.
func (a Admission) first() bool { return a.Record == nil || !ladder.HasActed(a.Record) }

// needsSlot reports whether it takes a free slot.
func (a Admission) needsSlot() bool { return a.Grant > 0 }

// line returns who wants to be admitted: first those with the fewest fruitless slots, then those that have been sick the longest.
// At is when somebody else gets in line without an event.
func (f Facts) line(now time.Time) (all []Admission, at time.Time) {
	records := f.openByMachine()
	for i := range f.Targets {
		target := &f.Targets[i]
		if !target.sick() || target.unconfirmed() || f.astray(target) {
			continue
		}
		machine := target.Machine
		record := records[machine.UID]
		if record == nil {
			all = append(all, Admission{
				Machine: machine, Host: target.Host, Grant: 1, awaitedBy: target.AwaitedBy,
				fruitless: f.Failures[machine.UID].Count, since: target.Verdict().LastTransitionTime.Time,
			})
			continue
		}
		wants, due := ladder.WantsSlot(record, now)
		at = healthcheck.Earliest(at, due)
		if wants {
			all = append(all, Admission{
				Machine: machine, Record: record, Grant: record.Status.ReleasedGrant + 1,
				fruitless: ladder.Fruitless(record) + f.Failures[machine.UID].Count, since: record.Spec.Finding.Since.Time,
			})
		}
	}
	slices.SortStableFunc(all, func(a, b Admission) int {
		return cmp.Or(cmp.Compare(a.fruitless, b.fruitless), a.since.Compare(b.since), cmp.Compare(a.Machine.Name, b.Machine.Name))
	})
	return all, at
}
