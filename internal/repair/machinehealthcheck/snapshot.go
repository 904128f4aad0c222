package machinehealthcheck

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/conditions"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// snapshot is what the metrics show of a MachineHealthCheck. Each look replaces it as a whole, so a reader never sees a mixture.
type snapshot struct {
	verdicts map[verdictKey]int
	idle     map[string]admission.Idle
	// paused is the cause of the pause; empty if there is none.
	paused      string
	pausedSince time.Time
	gate        gateState
	slots       int
	taken       int
	paces       []admission.DomainPace
}

type verdictKey struct{ status, reason string }

// gateState is what the metrics show of triggerIf and of what else holds all machines back.
type gateState struct {
	open, short bool
	// reason and since say why it is closed, and since when.
	reason string
	since  time.Time
	// unhealthy is how many are, and most how many may be; negative if there is no limit.
	unhealthy, most int
}

// measure records the result of a look. Status is the status that it leads to.
func (r *Reconciler) measure(f admission.Facts, d admission.Decision, status clusterv1.MachineHealthCheckStatus, now time.Time) {
	key := client.ObjectKeyFromObject(f.MachineHealthCheck)
	one := &snapshot{verdicts: map[verdictKey]int{}, idle: admission.IdleBy(f, d, now)}
	for i := range f.Targets {
		if v := f.Targets[i].Verdict(); v != nil {
			one.verdicts[verdictKey{string(v.Status), v.Reason}]++
		}
	}
	if len(d.Paused) > 0 {
		one.paused = pauseCause(f.MachineHealthCheck, f.Cluster)
		one.pausedSince = pausedSince(status, r.memory.Get(key).snapshot, now)
		r.memory.Update(key, func(m *remembered) { m.snapshot = one })
		return
	}
	one.gate = gateOf(d, status)
	one.gate.since = closedSince(one.gate, r.memory.Get(key).snapshot, f, now)
	one.slots, one.taken = d.Slots(), len(d.InFlight)
	one.paces = admission.Paces(f, now)
	r.memory.Update(key, func(m *remembered) { m.snapshot = one })
}

// measureClusterNotFound records that the machines are unknown.
func (r *Reconciler) measureClusterNotFound(mhc *clusterv1.MachineHealthCheck, status clusterv1.MachineHealthCheckStatus, now time.Time) {
	key := client.ObjectKeyFromObject(mhc)
	closed := gateState{reason: admission.ReasonClusterNotFound, since: allowed(status).LastTransitionTime.Time, most: -1}
	closed.since = closedSince(closed, r.memory.Get(key).snapshot, admission.Facts{}, now)
	r.memory.Update(key, func(m *remembered) { m.snapshot = &snapshot{gate: closed, slots: -1} })
}

func gateOf(d admission.Decision, status clusterv1.MachineHealthCheckStatus) gateState {
	g := gateState{open: d.Allowed, short: !d.Allowed && d.Counts.Sick > 0, unhealthy: d.Counts.Unhealthy(), most: -1}
	if d.Limited() {
		g.most = d.MaxUnhealthy()
	}
	if c := allowed(status); !g.open {
		g.reason, g.since = c.Reason, c.LastTransitionTime.Time
	}
	return g
}

// closedSince is since when a gate is closed for its reason while a machine is sick. The condition only says since when it is
// closed for any reason, and a gate that is closed while nothing is sick does no harm. At the first look, it assumes that the limit
// was not exceeded before a machine fell sick.
func closedSince(g gateState, before *snapshot, f admission.Facts, now time.Time) time.Time {
	switch {
	case g.open:
		return time.Time{}
	case before != nil && before.gate.reason == g.reason:
		return before.gate.since
	case before != nil && before.gate.reason != "":
		return now.Truncate(time.Second)
	case g.reason != admission.ReasonTooManyUnhealthy && g.reason != admission.ReasonTooFewUnhealthy:
		return g.since
	}
	if first := firstSick(f); first.After(g.since) {
		return first
	}
	return g.since
}

// firstSick is since when the machine that is sick the longest has been sick; zero if none is.
func firstSick(f admission.Facts) time.Time {
	var first time.Time
	for i := range f.Targets {
		v := f.Targets[i].Verdict()
		if v == nil || v.Status != metav1.ConditionFalse {
			continue
		}
		first = healthcheck.Earliest(first, v.LastTransitionTime.Time)
	}
	return first
}

func allowed(status clusterv1.MachineHealthCheckStatus) metav1.Condition {
	return conditions.Of(status.Conditions, admission.ConditionRemediationAllowed)
}

// pauseCause names the cause of a MachineHealthCheck's pause in one word.
func pauseCause(mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster) string {
	_, upgrade := mhc.Annotations[mhcspec.UpgradeMarker]
	switch {
	case mhcspec.ClusterPaused(cluster):
		return "Cluster"
	case upgrade:
		return "Upgrade"
	}
	return "MachineHealthCheck"
}

// pausedSince is the transition time of the condition. A MachineHealthCheck that is handed over may have none: then it is when we
// first saw the pause.
func pausedSince(status clusterv1.MachineHealthCheckStatus, before *snapshot, now time.Time) time.Time {
	if c := conditions.Of(status.Conditions, admission.ConditionPaused); c.Status == metav1.ConditionTrue {
		return c.LastTransitionTime.Time
	}
	if before != nil && before.paused != "" {
		return before.pausedSince
	}
	return now
}
