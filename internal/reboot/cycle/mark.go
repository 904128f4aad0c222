package cycle

import (
	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// UnhealthyKeys are the annotations by which Cluster API's provider for Metal3 passes a host over when it looks for one for a new
// machine: the one that all its versions know, and the one that replaces it since 1.13.
var UnhealthyKeys = []string{"capi.metal3.io/unhealthy", "capm3.metal3.io/unhealthy"}

// UnhealthyByUs is the value by which we know ours.
const UnhealthyByUs = "sickbay/PowerCycleFailed"

// leftOnHost is what is to be done to the host that was recorded when its cycle has ended.
func (d *step) leftOnHost() Action {
	h, recorded := d.f.Host, d.s.Host
	switch {
	case recorded == nil || h.Missing != "" || h.UID != recorded.UID:
		return Nothing
	case h.Key || h.Probe:
		return RemoveKey
	}
	return d.hostMark()
}

// hostMark is what is to be done to the mark of a host when its cycle has ended. One whose cycle was in vain must not be handed out
// again before a person has looked at it; one that works again may be.
func (d *step) hostMark() Action {
	outcome := whyEnded(&d.s)
	inVain := d.f.helpless() && !d.f.Machine.Healthy && outcome != v1alpha1.ReasonHostUnavailable && outcome != v1alpha1.ReasonMachineUnhealthy
	switch h := d.f.Host; {
	case inVain && !h.Unhealthy:
		return MarkHost
	case d.s.Phase == v1alpha1.Succeeded && h.UnhealthyByUs:
		return UnmarkHost
	}
	return Nothing
}

// unhealthyMark reports whether a host is marked as unhealthy, and whether by us.
func unhealthyMark(host *metal3v1.BareMetalHost) (marked, byUs bool) {
	for _, key := range UnhealthyKeys {
		value, ok := host.Annotations[key]
		marked, byUs = marked || ok, byUs || value == UnhealthyByUs
	}
	return marked, byUs
}
