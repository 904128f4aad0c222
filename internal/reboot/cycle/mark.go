package cycle

import (
	"slices"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"sigs.k8s.io/cluster-api/controllers/noderefutil"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// UnhealthyKeys are the annotations that make Cluster API's provider for Metal3 pass over a host when it chooses one for a new machine:
// the one that all its versions know, and the one that replaces it since 1.13.
var UnhealthyKeys = []string{"capi.metal3.io/unhealthy", "capm3.metal3.io/unhealthy"}

// UnhealthyByUs is the value that identifies our mark.
const UnhealthyByUs = "sickbay/PowerCycleFailed"

// undoneOnHost returns what is still to be done to the recorded host when its cycle has ended.
func (d *draft) undoneOnHost() Action {
	h, recorded := d.f.Host, d.s.Host
	switch {
	case recorded == nil || h.Missing != "" || h.UID != recorded.UID:
		return Nothing
	case h.Key || h.Probe:
		return RemoveKey
	}
	return d.hostMark()
}

// hostMark returns what to do about the mark of a host when its cycle has ended. If the cycle failed because of the host, Metal3 must
// not choose the host again before a person has looked at it; a host that works again may be chosen.
func (d *draft) hostMark() Action {
	switch h := d.f.Host; {
	case d.suspectHost() && !h.Unhealthy && !d.outdated():
		return MarkHost
	case d.s.Phase == v1alpha1.Succeeded && h.UnhealthyByUs && !d.outdated():
		return UnmarkHost
	}
	return Nothing
}

// outdated reports whether a later cycle has ended that says whether the host works: then the mark depends on that one.
func (d *draft) outdated() bool {
	return slices.ContainsFunc(d.f.Siblings, func(other v1alpha1.RebootRemediation) bool {
		s := &other.Status
		says := suspectHost(s) || s.Phase == v1alpha1.Succeeded
		if !says || s.Host == nil || s.Host.UID != d.s.Host.UID {
			return false
		}
		return d.s.FinishedAt.Before(s.FinishedAt) || (d.s.Phase == v1alpha1.Succeeded && suspectHost(s) && d.s.FinishedAt.Equal(s.FinishedAt))
	})
}

func (d *draft) suspectHost() bool { return suspectHost(&d.s) }

// suspectHost reports whether a cycle has ended in a way that makes its host suspect.
func suspectHost(s *v1alpha1.RebootRemediationStatus) bool {
	if s.Phase != v1alpha1.Failed {
		return false
	}
	switch s.Outcome {
	case v1alpha1.ReasonPowerOffTimedOut, v1alpha1.ReasonPowerOnTimedOut, v1alpha1.ReasonNodeTimedOut:
		return true
	default:
		return false
	}
}

// markStays removes our mark from a host that works again after all, and reports whether the mark is still there. A host whose Node is
// not Ready may not work.
func (d *draft) markStays() bool {
	if !d.marked() {
		return false
	}
	if noderefutil.IsNodeReady(d.f.Node.Node) {
		d.choose(UnmarkHost)
	}
	return true
}

// returnHost removes our mark from a host that works again, when nothing has to be put back on its Node. If another cycle has marked the
// host since, or cycles it now, the mark depends on that one.
func (d *draft) returnHost() {
	switch {
	case !d.marked() || d.markedLater():
		d.s.HostMarkedSince = nil
	case d.f.atWork() == nil && d.worksAgain():
		d.choose(UnmarkHost)
	case d.f.Deleting:
		d.releaseRequest()
	}
}

// marked reports whether our mark is on the host.
func (d *draft) marked() bool {
	h, recorded := d.f.Host, d.s.Host
	return h.UnhealthyByUs && h.Missing == "" && ((recorded == nil && h.Ours) || (recorded != nil && h.UID == recorded.UID))
}

// markedLater reports whether another RebootRemediation looks after the mark.
func (d *draft) markedLater() bool {
	return slices.ContainsFunc(d.f.Siblings, func(other v1alpha1.RebootRemediation) bool {
		return d.s.HostMarkedSince.Before(other.Status.HostMarkedSince) && other.Status.MachineUID == d.f.Machine.UID
	})
}

// worksAgain reports whether the machine has come back since the end. A Node that was Ready all along proves nothing: for example, the
// host could not be switched off.
func (d *draft) worksAgain() bool {
	node := d.f.Node.Node
	return d.f.Node.State == NodeFound && node.DeletionTimestamp.IsZero() && noderefutil.IsNodeReady(node) && (!d.recorded(node) || readySince(node, d.s.FinishedAt))
}

// unhealthyMark reports whether a host is marked as unhealthy, and whether by us.
func unhealthyMark(host *metal3v1.BareMetalHost) (marked, byUs bool) {
	for _, key := range UnhealthyKeys {
		value, ok := host.Annotations[key]
		marked, byUs = marked || ok, byUs || value == UnhealthyByUs
	}
	return marked, byUs
}
