package cycle

import (
	"slices"

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
	case v1alpha1.Pending, v1alpha1.CoolingDown, v1alpha1.Restoring, v1alpha1.WaitingForMachine:
		return true
	case v1alpha1.Failed:
		// The owner may be asked next.
		return f.Finalizer
	case v1alpha1.PoweringOff:
		return f.Status.KeySince == nil
	default:
		return false
	}
}

// NeedsSiblings reports whether a decision goes by the other RebootRemediations of the Machine: whether a cycle may begin or go on,
// whether the owner may be asked, and whether one that has ended still has to look after the Node.
func NeedsSiblings(f *Facts) bool {
	switch f.Status.Phase {
	case v1alpha1.Pending, v1alpha1.CoolingDown, v1alpha1.Restoring, v1alpha1.WaitingForMachine:
		return true
	case v1alpha1.Failed:
		return f.Finalizer || settling(f)
	default:
		return settling(f)
	}
}

// settling reports whether a cycle that is over, one way or the other, is still to put the Node back in service.
func settling(f *Facts) bool {
	return !f.Finalizer && (f.Status.Phase.Ended() || f.Deleting) && OwesNode(&f.Status)
}

// OwesNode reports whether the Node is still to be put back in service.
func OwesNode(status *v1alpha1.RebootRemediationStatus) bool {
	return status.Node != nil && status.Node.OutOfService
}

// NeedsNode tells whether a decision goes by the Node. Powering off does not, nor does letting go of the host.
func NeedsNode(f *Facts) bool {
	if !f.Finalizer || f.Status.Phase.Ended() {
		return settling(f)
	}
	return slices.Contains([]v1alpha1.Phase{
		v1alpha1.Pending, v1alpha1.Fenced, v1alpha1.Isolating, v1alpha1.WaitingForNode, v1alpha1.Restoring, v1alpha1.CoolingDown,
	}, f.Status.Phase)
}

// NeedsTurn reports whether an attempt may begin next. In a control plane the others have a say in that.
func NeedsTurn(f *Facts) bool {
	return f.Status.Phase == v1alpha1.Pending || f.Status.Phase == v1alpha1.CoolingDown
}

// Begins reports whether a decision begins an attempt.
func Begins(f *Facts, d Decision) bool { return d.Changed && d.Status.Attempt > f.Status.Attempt }

// InCycle tells whether a machine is, or may be, out of service by our doing.
func InCycle(phase v1alpha1.Phase) bool {
	return phase != "" && phase != v1alpha1.Pending && !phase.Ended()
}

// LooksForNode tells whether it is waited for the Node in a phase, or for what is done to it.
func LooksForNode(phase v1alpha1.Phase) bool {
	switch phase {
	case v1alpha1.Fenced, v1alpha1.Isolating, v1alpha1.WaitingForNode, v1alpha1.Restoring, v1alpha1.CoolingDown:
		return true
	default:
		return false
	}
}
