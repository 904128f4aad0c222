package explore

import (
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
)

// stop says for how long an attempt was stopped by a pause that its controller has looked at.
type stop struct {
	attempt int32
	since   time.Time
	total   time.Duration
}

// lookedAt notes, after a look at a record, whether its attempt is stopped. A pause that nobody looks at stops no clock.
func (m *monitor) lookedAt(p *process, name string) {
	r := latest[*v1alpha1.MachineRemediation](m.w, recordKind, name)
	if r == nil {
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
	// The clock may have stepped meanwhile, and a hold ended by that. Caches that lag may not show a pause.
	now := m.w.clock.now
	current := p.view.Behind(healthCheckKind)+p.view.Behind(clusterKind)+p.view.Behind(machineKind) == 0
	s.note(current && m.paused(r, p.turn.began) && m.paused(r, now), now)
}

func (s *stop) note(paused bool, now time.Time) {
	switch {
	case paused && s.since.IsZero():
		s.since = now
	case !paused && !s.since.IsZero():
		s.total, s.since = s.total+now.Sub(s.since), time.Time{}
	}
}

// paused reports whether the machine of a record is there, and nothing may be done to it at that time.
func (m *monitor) paused(r *v1alpha1.MachineRemediation, at time.Time) bool {
	machine := m.machineWith(r.Spec.MachineRef.UID)
	mhc := latest[*clusterv1.MachineHealthCheck](m.w, healthCheckKind, checkName)
	if machine == nil || mhc == nil || !machine.DeletionTimestamp.IsZero() || hasAnnotation(machine, clusterv1.MachineSkipRemediationAnnotation) {
		return false
	}
	return forbidden(at, mhc, latest[*clusterv1.Cluster](m.w, clusterKind, clusterName), machine) != ""
}

// stoppedFor is for how long an attempt was stopped until now.
func (m *monitor) stoppedFor(r *v1alpha1.MachineRemediation, number int32) time.Duration {
	s := m.stops[r.UID]
	if s == nil || s.attempt != number {
		return 0
	}
	if s.since.IsZero() {
		return s.total
	}
	return s.total + m.w.clock.now.Sub(s.since)
}
