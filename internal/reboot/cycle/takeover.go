package cycle

import "github.com/sickbay-dev/sickbay/api/v1alpha1"

// A machine may have several RebootRemediations, one for each attempt of its records. Only one at a time cycles it, and the next one that begins
// takes over what the earlier ones owe the Node.

// atWork returns the RebootRemediation that is cycling the machine; nil if none is.
func (f *Facts) atWork() *v1alpha1.RebootRemediation {
	for i := range f.Siblings {
		if other := &f.Siblings[i]; InCycle(other.Status.Phase) {
			return other
		}
	}
	return nil
}

// awaitSibling waits for another RebootRemediation before the cycle begins.
func (d *draft) awaitSibling(other *v1alpha1.RebootRemediation) {
	d.s.SuspendedSince, d.s.UnavailableSince = nil, nil
	of := ""
	if by := other.Spec.RequestedBy; by != nil {
		of = " of MachineRemediation " + by.Name
	}
	d.progress(v1alpha1.ReasonThrottled, "Waiting for RebootRemediation "+other.Name+of+": a machine has one power cycle at a time")
}

// takeOver records what earlier RebootRemediations owe the Node.
func (d *draft) takeOver() {
	for i := range d.f.Siblings {
		other := &d.f.Siblings[i]
		if !other.Status.Phase.Ended() || !OwesNode(&other.Status) || !d.sharesNodeWith(other) {
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
		began := other.Status.BeganAt
		if began != nil && !began.Before(d.s.FinishedAt) && d.sharesNodeWith(other) {
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
