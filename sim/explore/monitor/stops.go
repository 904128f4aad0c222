package monitor

import (
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
)

// stop is how long an attempt was stopped by pauses that its controller has seen.
type stop struct {
	attempt int32
	since   time.Time
	// until is when the stop ends by itself; zero if it does not, or if that is unknown.
	until time.Time
	total time.Duration
}

// Finished records, after a look at a record, whether its attempt is stopped. A pause that the controller does not see stops no clock.
func (m *Monitor) Finished(p *history.Process) {
	r := history.Latest[*v1alpha1.MachineRemediation](m.w, kinds.Record, p.Item.Name)
	if r == nil || p.Item.Controller != remediation.ControllerName {
		return
	}
	attempt := ladder.AtWork(r)
	if attempt == nil {
		delete(m.stops, r.UID)
		return
	}
	s := m.stops[r.UID]
	if s == nil || s.attempt != attempt.Number {
		s = &stop{attempt: attempt.Number}
		m.stops[r.UID] = s
	}
	// The clock may have stepped meanwhile, which may have ended a hold. Lagging caches may not show a pause, and writes based on an old
	// record are rejected.
	now := m.w.Now()
	current := p.View.Behind(kinds.HealthCheck)+p.View.Behind(kinds.Cluster)+p.View.Behind(kinds.Machine)+p.View.Behind(kinds.Record) == 0
	s.note(current && m.paused(r, m.turns[p].began) && m.paused(r, now), m.turns[p].began, now)
	s.until = m.holdEnds(r, now)
}

// holdEnds returns when the hold on a machine ends, if nothing else stops Sickbay then; otherwise zero.
func (m *Monitor) holdEnds(r *v1alpha1.MachineRemediation, now time.Time) time.Time {
	machine, mhc := m.machineWith(r.Spec.MachineRef.UID), m.healthCheckOf(r)
	cluster := history.Latest[*clusterv1.Cluster](m.w, kinds.Cluster, kinds.ClusterName)
	if machine == nil || mhc == nil || cluster == nil {
		return time.Time{}
	}
	_, until := mhcspec.OnHold(now, machine, mhc, cluster)
	if m.paused(r, until) {
		return time.Time{}
	}
	return until
}

// to returns how long the attempt has been stopped by now.
func (s *stop) to(now time.Time) time.Duration {
	if !s.until.IsZero() && s.until.Before(now) {
		now = s.until
	}
	return max(0, now.Sub(s.since))
}

// note records a look that began at one time and ends now. A stop that has ended was over when the look began.
func (s *stop) note(paused bool, began, now time.Time) {
	switch {
	case paused && s.since.IsZero():
		s.since = now
	case !paused && !s.since.IsZero():
		s.total, s.since = s.total+s.to(began), time.Time{}
	}
}

// paused reports whether the machine of a record exists and nothing may be done to it at that time.
func (m *Monitor) paused(r *v1alpha1.MachineRemediation, at time.Time) bool {
	machine := m.machineWith(r.Spec.MachineRef.UID)
	mhc := m.healthCheckOf(r)
	if machine == nil || mhc == nil || !machine.DeletionTimestamp.IsZero() || mhcspec.HasAnnotation(machine, clusterv1.MachineSkipRemediationAnnotation) {
		return false
	}
	cluster := history.Latest[*clusterv1.Cluster](m.w, kinds.Cluster, kinds.ClusterName)
	if r.Spec.AskedFor() {
		return forbiddenAsked(at, r, mhc, cluster, machine) != ""
	}
	return forbidden(at, mhc, cluster, machine) != ""
}

// stoppedFor returns how long an attempt has been stopped, for a process that looks at its record. A stop that has ended was over when the look began.
func (m *Monitor) stoppedFor(p *history.Process, r *v1alpha1.MachineRemediation, number int32) time.Duration {
	s := m.stops[r.UID]
	if s == nil || s.attempt != number {
		return 0
	}
	switch {
	case s.since.IsZero():
		return s.total
	case !m.paused(r, m.w.Now()):
		return s.total + s.to(m.turns[p].began)
	}
	return s.total + s.to(m.w.Now())
}
