package simulate

import (
	"time"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

const (
	// maxRounds bounds the rounds of decisions at one moment, and maxMoments the number of moments.
	maxRounds  = 100
	maxMoments = 20000
)

// Play plays a scene to its end. It returns an error if an option does not fit the fleet.
func (s *Scene) Play(o Options) (Result, error) {
	o.World = o.World.full()
	s.options, s.until = o, s.from.Add(o.For)
	s.result = Result{APIVersion: explain.APIVersion, Kind: "Simulation", From: s.from, Until: s.until}
	failing, err := s.failing(o.Fails)
	if err != nil {
		return Result{}, err
	}
	s.begin()
	s.result.Assumptions = append(s.assumptions(failing), s.tooShort()...)
	s.fail(failing)
	s.result.Assumptions = append(s.result.Assumptions, s.unjudged()...)
	s.result.Assumptions = append(s.result.Assumptions, s.staying()...)
	for _, c := range s.checks {
		s.look(c)
	}
	for _, r := range s.records {
		r.touch(s)
		s.underWay(r)
	}
	for _, m := range s.machines {
		s.ownerLooks(m)
	}
	s.follow()
	s.sumUp()
	return s.result, nil
}

// begin judges all machines by the new health checks, and records the state of each health check.
func (s *Scene) begin() {
	for _, m := range s.machines {
		s.judge(m)
	}
	s.work, s.moment = work{}, moment{}
	for _, m := range s.machines {
		m.seen, m.wasSick = false, m.sick()
	}
	for _, r := range s.records {
		r.dirty, r.before = false, nil
	}
	for _, c := range s.checks {
		c.dirty = false
		s.result.Checks = append(s.result.Checks, s.standing(c))
	}
}

// follow jumps from moment to moment.
func (s *Scene) follow() {
	for range maxMoments {
		s.settleAll()
		s.tell()
		at, ok := s.agenda.first()
		if !ok || at.After(s.until) {
			return
		}
		if s.stops() {
			break
		}
		s.now = at
		s.agenda.run(at)
	}
	s.result.Summary.Unfinished = "so much happens that the simulation stopped at " + s.now.UTC().Format(time.RFC3339)
}

// stops reports whether to end the simulation early.
func (s *Scene) stops() bool {
	s.stopped = s.stopped || s.options.Stop != nil && s.options.Stop()
	return s.stopped
}

// settleAll decides until there is nothing left to decide at this moment.
func (s *Scene) settleAll() {
	for range maxRounds {
		now := s.work
		s.work = work{}
		if len(now.machines)+len(now.checks)+len(now.records) == 0 {
			return
		}
		for _, m := range now.machines {
			m.dirty = false
			s.judge(m)
		}
		if s.stops() {
			return
		}
		if len(now.machines) > 0 {
			// Admission waits until all machines have been judged.
			s.work.checks, s.work.records = append(now.checks, s.work.checks...), append(now.records, s.work.records...)
			continue
		}
		for _, c := range now.checks {
			c.dirty = false
			s.decide(c)
		}
		for _, r := range now.records {
			r.dirty = false
			s.settle(r)
		}
	}
}

// look schedules the decision about a health check.
func (s *Scene) look(c *check) {
	if !c.dirty {
		c.dirty = true
		s.work.checks = append(s.work.checks, c)
	}
}

// lookAt schedules the verdict on a machine.
func (s *Scene) lookAt(m *machine) {
	if !m.dirty && !m.gone {
		m.dirty = true
		s.work.machines = append(s.work.machines, m)
	}
}
