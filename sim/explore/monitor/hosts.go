package monitor

import (
	"slices"
	"strings"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// Switched counts how often a host goes off for an operation.
func (m *Monitor) Switched(host string, on bool) {
	if on {
		return
	}
	for _, uid := range keysOn(history.Latest[*metal3v1.BareMetalHost](m.w, kinds.Host, host)) {
		r := m.rebootWith(uid)
		if r == nil {
			continue
		}
		operation := r.Annotations[v1alpha1.OperationAnnotation]
		if m.offs[operation]++; m.offs[operation] > 1 && !m.lostKey[uid] {
			m.w.Fail(rules.Once, "host %s goes off %d times for operation %s", host, m.offs[operation], operation)
		}
	}
}

// hostChanged judges what is done to a host.
func (m *Monitor) hostChanged(change apimodel.Change) {
	before, after := apimodel.As[*metal3v1.BareMetalHost](change.Before), apimodel.As[*metal3v1.BareMetalHost](change.After)
	had, has := keysOn(before), keysOn(after)
	if m.w.Writer == nil {
		for _, uid := range had {
			m.lostKey[uid] = m.lostKey[uid] || !slices.Contains(has, uid)
		}
		return
	}
	m.writtenBy(reboot.ControllerName, change)
	for _, uid := range has {
		if !slices.Contains(had, uid) {
			m.keySet(after, uid)
		}
	}
	for _, uid := range had {
		if !slices.Contains(has, uid) {
			m.keyRemoved(after, uid)
		}
	}
	m.marked(before, after)
}

// keysOn returns the UIDs of the power cycles that keep a host off.
func keysOn(host *metal3v1.BareMetalHost) []types.UID {
	var uids []types.UID
	if host == nil {
		return nil
	}
	for key := range host.Annotations {
		if uid, ours := strings.CutPrefix(key, cycle.KeyPrefix); ours {
			uids = append(uids, types.UID(uid))
		}
	}
	slices.Sort(uids)
	return uids
}

func (m *Monitor) rebootWith(uid types.UID) *v1alpha1.RebootRemediation {
	for _, r := range m.reboots() {
		if r.UID == uid {
			return r
		}
	}
	return nil
}

// keySet checks that a host may be kept off now.
func (m *Monitor) keySet(host *metal3v1.BareMetalHost, uid types.UID) {
	r := m.rebootWith(uid)
	switch {
	case r == nil:
		m.w.Fail(rules.KeptOff, "host %s is kept off for a RebootRemediation that does not exist", host.Name)
		return
	case r.Status.Host == nil || r.Status.Host.UID != host.UID:
		m.w.Fail(rules.Bound, "host %s is kept off, which is not the host of RebootRemediation %s", host.Name, r.Name)
	case r.Status.BeganAt == nil:
		m.w.Fail(rules.KeptOff, "host %s is kept off before the beginning of RebootRemediation %s is stored", host.Name, r.Name)
	case r.Status.Phase.Ended() || !slices.Contains(r.Finalizers, cycle.Finalizer) || m.released[uid]:
		m.w.Fail(rules.KeptOff, "host %s is kept off, and RebootRemediation %s lets go of it: %s", host.Name, r.Name, r.Status.Phase)
	}
	m.oneCycle(host, r)
	m.rack(host, r)
}

// oneCycle checks that no other power cycle of the machine is at work.
func (m *Monitor) oneCycle(host *metal3v1.BareMetalHost, r *v1alpha1.RebootRemediation) {
	for _, other := range m.reboots() {
		if other.UID != r.UID && reboot.IsCycle(other) && m.hostOf(other) == host.Name && other.Status.BeganAt != nil && cycle.InCycle(other.Status.Phase) {
			m.w.Fail(rules.OneCycle, "host %s is kept off for RebootRemediation %s, and %s is in phase %s", host.Name, r.Name, other.Name, other.Status.Phase)
		}
	}
}

// rack checks that no more hosts are cycled than a budget or the control plane allows: a cycle lasts until its machine is back in service. What somebody
// has asked for needs no slot.
func (m *Monitor) rack(host *metal3v1.BareMetalHost, r *v1alpha1.RebootRemediation) {
	if m.isAsked(r) {
		return
	}
	budget := m.w.Spec.Slots
	off, also := m.cycledBeside(host, r)
	switch {
	case m.w.Spec.ControlPlane && len(off) > 0:
		m.w.Fail(rules.Plane, "host %s is kept off for RebootRemediation %s, and so are %q of the same control plane", host.Name, r.Name, off)
	case budget > 0 && len(also) >= budget:
		m.w.Fail(rules.Rack, "host %s is kept off for RebootRemediation %s, and %q are under way: %d may be", host.Name, r.Name, also, budget)
	}
}

// cycledBeside returns the other hosts that are kept off, and the power cycles of health checks that are under way on them.
func (m *Monitor) cycledBeside(host *metal3v1.BareMetalHost, r *v1alpha1.RebootRemediation) (off, cycles []string) {
	for _, other := range m.reboots() {
		if other.UID == r.UID || !reboot.IsCycle(other) || other.Status.BeganAt == nil || m.hostOf(other) == host.Name {
			continue
		}
		if cycle.InCycle(other.Status.Phase) && !m.isAsked(other) {
			cycles = append(cycles, other.Name)
		}
		if slices.Contains(keysOn(history.Latest[*metal3v1.BareMetalHost](m.w, kinds.Host, m.hostOf(other))), other.UID) {
			off = append(off, m.hostOf(other))
		}
	}
	return off, cycles
}

// keyRemoved checks that a host may be released now.
func (m *Monitor) keyRemoved(host *metal3v1.BareMetalHost, uid types.UID) {
	r := m.rebootWith(uid)
	if r == nil {
		return
	}
	if r.Status.Phase != v1alpha1.PoweringOn && !r.Status.Phase.Ended() {
		m.w.Fail(rules.LetGo, "RebootRemediation %s lets go of host %s in phase %s", r.Name, host.Name, r.Status.Phase)
	}
}

// marked checks that a host is marked only for what it did.
func (m *Monitor) marked(before, after *metal3v1.BareMetalHost) {
	r := history.Latest[*v1alpha1.RebootRemediation](m.w, kinds.Reboot, m.w.Writer.Item.Name)
	was, is := before.Annotations[cycle.UnhealthyKeys[0]], after.Annotations[cycle.UnhealthyKeys[0]]
	if is != was && is != "" && (r == nil || r.Status.Phase != v1alpha1.Failed) {
		m.w.Fail(rules.KeptOff, "host %s is marked as unhealthy by a RebootRemediation that has not failed", after.Name)
	}
}

// cycling reports whether a power cycle is under way. Nobody predicts its steps.
func (m *Monitor) cycling() bool {
	return slices.ContainsFunc(m.reboots(), func(r *v1alpha1.RebootRemediation) bool {
		return reboot.IsCycle(r) && (!r.Status.Phase.Ended() || !r.DeletionTimestamp.IsZero() || cycle.OwesAnything(&r.Status))
	})
}

// notLetGo returns a host that is left off by mistake; empty if there is none.
func (m *Monitor) notLetGo() string {
	for _, host := range history.Every[*metal3v1.BareMetalHost](m.w, kinds.Host) {
		for _, uid := range keysOn(host) {
			if r := m.rebootWith(uid); r == nil || r.Status.Phase.Ended() || r.Status.Phase == v1alpha1.PoweringOn {
				return host.Name
			}
		}
	}
	return ""
}
