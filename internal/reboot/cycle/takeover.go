package cycle

import (
	"fmt"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// A machine may have several RebootRemediations: one of its name, and one for each attempt of a record. Only one at a time cycles it,
// and the next one that begins takes over what the earlier ones owe the Node.

// atWork returns the RebootRemediation that is cycling the machine; nil if none is.
func (f *Facts) atWork() *v1alpha1.RebootRemediation {
	for i := range f.Siblings {
		if other := &f.Siblings[i]; InCycle(other.Status.Phase) && !StandsBack(&other.Status) {
			return other
		}
	}
	return nil
}

// standsBackForSibling stands back if another RebootRemediation has begun while this one stood back, and reports whether it has. When that one has
// ended, the machine is judged again.
func (d *draft) standsBackForSibling() bool {
	other := d.f.atWork()
	if other == nil {
		return false
	}
	if d.outOfService() && OwesNode(&other.Status) && d.sharesNodeWith(other) {
		// The other one has taken that over.
		d.s.Node.Backup, d.s.Node.OutOfService = nil, false
	}
	if d.f.withdrawn() && !d.outOfService() {
		d.end(v1alpha1.Aborted, v1alpha1.ReasonWithdrawn, "The request was withdrawn")
		return true
	}
	d.standBack()
	d.progress(v1alpha1.ReasonThrottled, waitingFor(other))
	return true
}

// awaitSibling waits for another RebootRemediation before the first attempt. That one may heal the machine, so the machine is judged
// again afterwards.
func (d *draft) awaitSibling(other *v1alpha1.RebootRemediation) {
	d.s.SuspendedSince, d.s.UnavailableSince = nil, nil
	if d.f.Machine.ByHealthCheck {
		d.standBack()
	}
	d.progress(v1alpha1.ReasonThrottled, waitingFor(other))
}

// waitingFor says which RebootRemediation this one waits for.
func waitingFor(other *v1alpha1.RebootRemediation) string {
	return fmt.Sprintf("Waiting for RebootRemediation %s, %s: a machine has one power cycle at a time", other.Name, whoAsked(other.Spec.RequestedBy))
}

// whoAsked says who asked for a cycle, as a clause about its RebootRemediation.
func whoAsked(by *v1alpha1.RebootRequester) string {
	switch {
	case by == nil:
		return "which was there first"
	case by.Kind == v1alpha1.RequestedByRecord:
		return "which MachineRemediation " + by.Name + " has asked for"
	case by.Kind == v1alpha1.RequestedByHealthCheck:
		return "which a health check has asked for"
	case by.Kind == v1alpha1.RequestedByAnnotation:
		return "which an annotation of the Machine asks for"
	case by.Name != "":
		return "which " + by.Name + " has asked for"
	}
	return "which a person has asked for"
}

// takeOver records what earlier RebootRemediations owe the Node.
func (d *draft) takeOver() {
	for i := range d.f.Siblings {
		other := &d.f.Siblings[i]
		idle := other.Status.Phase.Ended() || StandsBack(&other.Status)
		if !idle || !OwesNode(&other.Status) || !d.sharesNodeWith(other) {
			continue
		}
		owed := other.Status.Node.DeepCopy()
		if d.s.Node != nil {
			owed.Backup = combined(d.s.Node.Backup, owed.Backup)
		}
		d.s.Node = owed
	}
}

// successor returns the RebootRemediation that has taken over what this one owes since it ended; nil if none has.
func (d *draft) successor() *v1alpha1.RebootRemediation {
	for i := range d.f.Siblings {
		other := &d.f.Siblings[i]
		began := other.Status.PendingRebootSince
		if other.Status.Attempt > 0 && d.sharesNodeWith(other) && began != nil && !began.Before(d.s.FinishedAt) {
			return other
		}
	}
	return nil
}

// sharesNodeWith reports whether either of two RebootRemediations can put back what the other has taken: they are about the same Machine, and take
// its Node out of service in the same way.
func (d *draft) sharesNodeWith(other *v1alpha1.RebootRemediation) bool {
	return other.Status.MachineUID == d.f.Machine.UID && TaintsNode(&other.Spec, &other.Status) == d.taintsNode()
}

// handOver leaves the Node to the RebootRemediation that has taken it over.
func (d *draft) handOver(successor *v1alpha1.RebootRemediation) {
	d.s.Node.Backup, d.s.Node.OutOfService = nil, false
	d.conclude("RebootRemediation " + successor.Name + " is now responsible for the Node")
}
