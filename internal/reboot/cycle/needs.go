package cycle

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// NeedsPauses reports whether a decision goes by pauses: whether an attempt may begin, or has begun and has not reached the host, and
// whether the verdict on the machine counts. Nobody judges it under a pause.
// What a person asks for is done under any pause.
func NeedsPauses(f *Facts) bool {
	if !f.Machine.ByHealthCheck {
		return false
	}
	switch f.Status.Phase {
	case v1alpha1.Failed:
		// The owner may be asked next.
		return f.Finalizer
	case v1alpha1.PoweringOff:
		return f.Status.KeySince == nil
	default:
		return f.Status.Phase != "" && rowOf(f.Status.Phase).standsBack
	}
}

// NeedsRecord reports whether a decision goes by what the MachineRemediation which made the RebootRemediation has stored: whether the
// first attempt may begin.
func NeedsRecord(f *Facts) bool {
	return f.Finalizer && !f.Deleting && f.Status.Phase == v1alpha1.Pending && f.Status.Attempt == 0
}

// NeedsSiblings reports whether a decision goes by the other RebootRemediations of the Machine: whether a cycle may begin or go on,
// whether the owner may be asked, whose word counts on the host, and whether one that has ended still has to look after the Node.
func NeedsSiblings(f *Facts) bool {
	cleans := (f.Status.Phase == v1alpha1.Failed || f.Status.Phase == v1alpha1.Succeeded) && f.Finalizer
	return cleans || settling(f) || (f.Status.Phase != "" && rowOf(f.Status.Phase).standsBack)
}

// settling reports whether a cycle that is over, one way or the other, is still to put the Node back in service, or to take its mark from
// the host.
func settling(f *Facts) bool {
	return !f.Finalizer && (f.Status.Phase.Ended() || f.Deleting) && OwesAnything(&f.Status)
}

// OwesAnything reports whether the Node is still to be put back in service, or the host to lose our mark when it works again.
func OwesAnything(status *v1alpha1.RebootRemediationStatus) bool {
	return OwesNode(status) || status.HostMarkedSince != nil
}

// OwesNode reports whether the Node is still to be put back in service.
func OwesNode(status *v1alpha1.RebootRemediationStatus) bool {
	return status.Node != nil && status.Node.OutOfService
}

// NeedsNode reports whether a decision goes by the Node. Powering off does not, nor does letting go of the host.
func NeedsNode(f *Facts) bool {
	if !f.Finalizer || f.Status.Phase.Ended() {
		return settling(f)
	}
	return f.Status.Phase != "" && rowOf(f.Status.Phase).node
}

// NeedsTurn reports whether an attempt may begin next. In a control plane the others have a say in that.
func NeedsTurn(f *Facts) bool {
	return f.Status.Phase != "" && rowOf(f.Status.Phase).begins
}

// Begins reports whether a decision begins an attempt.
func Begins(f *Facts, d Decision) bool { return d.Changed && d.Status.Attempt > f.Status.Attempt }
