package admission

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Admission is a machine that gets a record, or another slot for its record.
type Admission struct {
	Machine *clusterv1.Machine
	// Record is the record that gets a slot; nil if one is created.
	Record *v1alpha1.MachineRemediation
	// Grant is the new spec.grant. A new record with 0 has no slot: a person must approve its first act.
	Grant int32
	// Stray is the kind of a request for the machine that no record stands behind; empty if there is none.
	Stray string
	// Start says where in the plan a new record begins; nil if at its first step.
	Start *v1alpha1.RemediationStart
	// Host is the bare-metal host of the machine; nil if it has none.
	Host *v1alpha1.RemediationReference

	// verdict is what this MachineHealthCheck finds, if a record is created; nil if the machine has no verdict.
	verdict *metav1.Condition
	// awaitedBy is the record of another machine that judges this one; empty if none does.
	awaitedBy string
	// other is the MachineHealthCheck that repairs the machine instead of this one; empty if this one does.
	other string
	// suspected says why it is not repaired although it is sick; empty otherwise.
	suspected string
	// fruitless is how many slots, or attempts to grant one, led to nothing.
	fruitless int
	since     time.Time
	// waitsSince is since when it has waited for a slot.
	waitsSince time.Time
}

// Verdict returns what this MachineHealthCheck finds, for a record that is created; nil if the machine has no verdict.
func (a Admission) Verdict() *metav1.Condition { return a.verdict }

// longestPassedOver is how long those with fewer fruitless slots may go first.
const longestPassedOver = time.Hour

// first reports whether the repair has not begun, so that the lower bound of a range applies.
func (a Admission) first() bool { return a.Record == nil || !ladder.HasBegun(a.Record) }

// needsSlot reports whether it takes a free slot.
func (a Admission) needsSlot() bool { return a.Grant > 0 }

// line returns who wants to be admitted: first those that have waited for an hour, the longest first, then those with the fewest fruitless slots, then
// those that have been sick the longest. At is when somebody else gets in line without an event.
func (f Facts) line(now time.Time) (all []Admission, at time.Time) {
	records := f.openByMachine()
	for i := range f.Targets {
		target := &f.Targets[i]
		machine := target.Machine
		if !target.needsRepair(records[machine.UID]) || target.unconfirmed() || f.astray(target) {
			continue
		}
		if other := target.other(); other != "" {
			all = append(all, Admission{Machine: machine, other: other, since: target.Verdict().LastTransitionTime.Time, waitsSince: now})
			continue
		}
		record := records[machine.UID]
		if record != nil && record.Spec.AskedFor() {
			continue
		}
		if record == nil {
			sick := target.Verdict().LastTransitionTime.Time
			all = append(all, Admission{
				Machine: machine, Host: target.Host, Grant: 1, verdict: target.Verdict(), awaitedBy: target.AwaitedBy, suspected: target.Suspected,
				fruitless: f.Failures[machine.UID].Count, since: sick, waitsSince: sick,
			})
			continue
		}
		wants, due := ladder.WantsSlot(record, now)
		at = healthcheck.Earliest(at, due)
		if wants {
			waits := waitsSince(record, now)
			if due := waits.Add(longestPassedOver); now.Before(due) {
				at = healthcheck.Earliest(at, due)
			}
			all = append(all, Admission{
				Machine: machine, Record: record, Grant: record.Status.ReleasedGrant + 1, suspected: target.Suspected,
				fruitless: ladder.Fruitless(record) + f.Failures[machine.UID].Count, since: record.Spec.Finding.Since.Time, waitsSince: waits,
			})
		}
	}
	slices.SortStableFunc(all, func(a, b Admission) int {
		return cmp.Or(a.turn(now).Compare(b.turn(now)), cmp.Compare(a.fruitless, b.fruitless), a.since.Compare(b.since), cmp.Compare(a.Machine.Name, b.Machine.Name))
	})
	return all, at
}

// asked returns the records that an annotation asked for and that wait for a slot, the earliest first. At is when another one gets in line
// without an event.
func (f Facts) asked(now time.Time) (all []Admission, at time.Time) {
	for _, r := range f.Records {
		if !r.Spec.AskedFor() {
			continue
		}
		wants, due := ladder.WantsSlot(r, now)
		at = healthcheck.Earliest(at, due)
		if failure := f.Failures[r.Spec.MachineRef.UID]; now.Before(failure.RetryAt) {
			at, wants = healthcheck.Earliest(at, failure.RetryAt), false
		}
		if !wants {
			continue
		}
		for i := range f.Targets {
			if machine := f.Targets[i].Machine; machine.UID == r.Spec.MachineRef.UID && f.answers(f.Targets[i]) {
				all = append(all, Admission{Machine: machine, Record: r, Grant: r.Status.ReleasedGrant + 1, since: r.CreationTimestamp.Time})
			}
		}
	}
	slices.SortFunc(all, func(a, b Admission) int {
		return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.Record.UID, b.Record.UID))
	})
	return all, at
}

// turn is since when it has waited, if that is for so long that nobody with fewer fruitless slots goes first any more; otherwise now.
func (a Admission) turn(now time.Time) time.Time {
	if now.Before(a.waitsSince.Add(longestPassedOver)) {
		return now
	}
	return a.waitsSince
}

// waitsSince returns since when a record has waited for a slot for an attempt: since its last one ended, or since it was made. An end in the future, by
// the clock of another leader, delays nothing.
func waitsSince(r *v1alpha1.MachineRemediation, now time.Time) time.Time {
	if last := ladder.Last(&r.Status); last != nil && last.EndTime != nil && !last.EndTime.After(now) {
		return last.EndTime.Time
	}
	return r.CreationTimestamp.Time
}
