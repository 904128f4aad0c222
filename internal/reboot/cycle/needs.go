package cycle

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// NeedsRecord reports whether a decision depends on what the MachineRemediation that made the RebootRemediation has stored: whether the
// cycle may begin.
func NeedsRecord(f *Facts) bool {
	return f.Finalizer && !f.Deleting && f.Status.Phase == v1alpha1.Pending
}

// NeedsSiblings reports whether a decision depends on the other RebootRemediations of the Machine: whether a cycle may begin, which one decides
// about the host's mark, and whether an ended one still has to look after the Node.
func NeedsSiblings(f *Facts) bool {
	cleans := (f.Status.Phase == v1alpha1.Failed || f.Status.Phase == v1alpha1.Succeeded) && f.Finalizer
	return cleans || owesAfterEnd(f) || f.Status.Phase == v1alpha1.Pending
}

// owesAfterEnd reports whether a cycle is over but still has to put the Node back in service, or to remove its mark from the host.
func owesAfterEnd(f *Facts) bool {
	return !f.Finalizer && (f.Status.Phase.Ended() || f.Deleting) && OwesAnything(&f.Status)
}

// OwesAnything reports whether the Node is still to be put back in service, or our mark to be removed from the host when it works again.
func OwesAnything(status *v1alpha1.RebootRemediationStatus) bool {
	return OwesNode(status) || status.HostMarkedSince != nil
}

// OwesNode reports whether the Node is still to be put back in service.
func OwesNode(status *v1alpha1.RebootRemediationStatus) bool {
	return status.Node != nil && status.Node.OutOfService
}

// NeedsNode reports whether a decision depends on the Node. Powering off does not, nor does releasing the host.
func NeedsNode(f *Facts) bool {
	if !f.Finalizer || f.Status.Phase.Ended() {
		return owesAfterEnd(f)
	}
	return f.Status.Phase != "" && rowOf(f.Status.Phase).node
}

// NeedsPlane reports whether a decision about a machine of a control plane depends on the other machines. It does until the cycle has
// reached the host.
func NeedsPlane(f *Facts) bool {
	if f.Deleting {
		return false
	}
	return f.Status.Phase == v1alpha1.Pending || (f.Status.Phase == v1alpha1.PoweringOff && f.Status.KeySince == nil)
}

// NeedsOwner reports whether a decision depends on the owner of the Machine: whether a cycle may begin that has to choose its isolation.
func NeedsOwner(f *Facts) bool {
	return f.Spec.Isolation == "" && f.Status.Phase == v1alpha1.Pending
}

// Begins reports whether a decision begins the cycle.
func Begins(f *Facts, d Decision) bool {
	return d.Changed && d.Status.Phase == v1alpha1.PoweringOff && f.Status.Phase == v1alpha1.Pending
}
