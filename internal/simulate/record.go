package simulate

import (
	"cmp"
	"maps"
	"slices"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain/ahead"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
	"github.com/sickbay-dev/sickbay/internal/repair/rules"
)

// record is a simulated MachineRemediation.
type record struct {
	// otherLeads says which other health check leads; empty if its own does.
	otherLeads ladder.Cause

	obj *v1alpha1.MachineRemediation
	// machine is nil if it was gone before the simulation.
	machine *machine
	check   *check
	// base is what was observed, with the request as it is by now. What the Machine says is read from the Machine.
	base ladder.Facts
	// rules are the rules of its plan, if that has not changed since the record was created; nil otherwise.
	rules *rules.Rules
	// successor is the machine that replaces its machine; nil if there is none yet.
	successor *machine

	dirty bool
	// before is the record at the beginning of this moment; nil if it was not touched. isNew reports that it did not exist then.
	before *v1alpha1.MachineRemediation
	isNew  bool
}

// found adopts a record that was open before the simulation.
func (r *record) found(machines []*machine) {
	plan := r.check.facts.Template.Plan
	if ref := r.obj.Spec.TemplateRef; ref != nil && plan != nil && plan.UID == ref.UID && plan.Generation == ref.Generation {
		r.rules = r.check.rules
	}
	if s := r.base.Successor; s != nil {
		if i := slices.IndexFunc(machines, func(m *machine) bool { return m.obj.Name == s.Name && m.obj.Namespace == r.obj.Namespace }); i >= 0 {
			r.succeededBy(machines[i])
		}
	}
}

func (r *record) succeededBy(m *machine) { r.successor, m.takesPlaceOf = m, r }

// touch remembers a record as it was before this moment, and schedules its next decision.
func (r *record) touch(s *Scene) {
	if r.before == nil {
		before := *r.obj
		if r.isNew {
			before.Status = v1alpha1.MachineRemediationStatus{}
		}
		r.before = &before
		s.moment.records = append(s.moment.records, r)
	}
	if !r.dirty {
		r.dirty = true
		s.work.records = append(s.work.records, r)
	}
}

// settle decides on a record until there is nothing left to do at this moment.
func (s *Scene) settle(r *record) {
	for range ladder.MaxTurns {
		r.otherLeads = s.handedOver(r)
		f := s.factsFor(r)
		d := ladder.Decide(f, s.now)
		if d.Act.Begins() {
			f.Safety.GateClosed, f.Safety.OverBudget = r.check.brakes(r.obj, s.now)
			if d.Act == ladder.DeleteMachine {
				f.Safety.OthersAtWork = ladder.Said(s.unreplaced(r.machine))
			}
			d = ladder.Decide(f, s.now)
		}
		switch {
		case d.Store:
			r.store(s, d.Status)
		case d.Act != ladder.None:
			s.act(r, d)
		default:
			s.agenda.add(ahead.FirstAfter(s.now, d.RecheckAt), func() { r.touch(s) })
			s.tidySign(r)
			return
		}
	}
}

// tidySign takes the sign of a power cycle that is over off the Machine, as the remediation controller does. Nothing else in here reads signs, so
// none is set.
func (s *Scene) tidySign(r *record) {
	if m := r.machine; m != nil && !m.gone && m.obj.DeletionTimestamp.IsZero() && onmachine.SignOver(m.obj, r.obj) {
		m.change(s, func(obj *clusterv1.Machine) {
			obj.Annotations = maps.Clone(obj.Annotations)
			delete(obj.Annotations, rebootannotation.Request)
		})
	}
}

// store stores a status, and schedules the decision about the health check, as slots may have become free.
func (r *record) store(s *Scene, status v1alpha1.MachineRemediationStatus) {
	had := ladder.InFlight(r.obj)
	r.obj.Status = status
	if had != ladder.InFlight(r.obj) {
		r.check.gate = nil
	}
	if ladder.Ended(r.obj) && r.machine != nil && r.machine.record == r {
		r.machine.record = nil
	}
	if r.successor != nil {
		for _, c := range r.successor.checks {
			c.update(r.successor)
		}
	}
	s.look(r.check)
	if r.machine != nil {
		for _, c := range r.machine.checks {
			c.gate = nil
			s.look(c)
		}
	}
}

// awaitedBy returns the record that judges this machine as a successor; empty if none does.
func (m *machine) awaitedBy() string {
	r := m.takesPlaceOf
	if r == nil || ladder.Ended(r.obj) || r.obj.Spec.BuiltIn() || ladder.AtWork(r.obj) == nil {
		return ""
	}
	return r.obj.Name
}

// factsFor returns the facts for the next step of a record at this moment.
func (s *Scene) factsFor(r *record) ladder.Facts {
	f := r.base
	f.Record = r.obj
	switch m := r.machine; {
	case m == nil:
	case m.gone:
		f.Machine = ladder.Machine{Gone: true}
	default:
		f.Machine = onmachine.Machine(m.obj, r.obj)
		f.Machine.OwnerActive = ladder.AnswerLate(r.obj, s.now) && s.occupied.Beside(m.obj)
	}
	r.safety(&f, s.now)
	if r.rules != nil && !f.Machine.Gone && r.machine != nil && ladder.AtWork(r.obj) == nil {
		r.jump(&f)
	}
	if m := r.successor; m != nil && f.Machine.Gone {
		f.Successor = m.asSuccessor()
	}
	return f
}

// safety fills in what keeps Sickbay from acting, as far as it follows from the health check, the Cluster and the time.
func (r *record) safety(f *ladder.Facts, now time.Time) {
	c, s := r.check, &f.Safety
	s.Paused = cmp.Or(ladder.Said(c.paused), c.onlyReports)
	s.Misconfigured = ladder.Said(c.misconfigured)
	s.HandedOver = r.otherLeads
	f.Bounded = c.bounded
	if r.machine == nil || f.Machine.Gone {
		s.OnHold, s.HoldUntil = mhcspec.OnHold(now, c.mhc, c.cluster)
		f.ResumedAt = resumed(now, c, nil)
		return
	}
	s.OnHold, s.HoldUntil = mhcspec.OnHold(now, r.machine.obj, c.mhc, c.cluster)
	f.ResumedAt = resumed(now, c, r.machine)
}

// resumed returns when the last pause or hold ended.
func resumed(now time.Time, c *check, m *machine) time.Time {
	ends := []time.Time{mhcspec.HoldEnded(now, c.mhc, c.cluster), c.rulesOfHealth.ResumedAt}
	if m != nil {
		ends = append(ends, mhcspec.HoldEnded(now, m.obj))
	}
	return slices.MaxFunc(ends, time.Time.Compare)
}

// jump evaluates the plan's rules for the step with which the record continues.
func (r *record) jump(f *ladder.Facts) {
	step, _, err := r.rules.StartAt(rules.InputOf(r.machine.obj, r.machine.node(), r.check.rulesOfHealth, r.check.verdictOn(r.machine), r.obj.Status.Attempts))
	f.JumpTo, f.Safety.PlanProblem = step, ""
	if err != nil {
		f.Safety.PlanProblem = "The plan cannot be evaluated: " + err.Error()
	}
}

// asSuccessor returns a machine as the record of its predecessor sees it.
func (m *machine) asSuccessor() *ladder.Successor {
	s := &ladder.Successor{
		Name: m.obj.Name, Health: m.standing(), Gone: m.gone || !m.obj.DeletionTimestamp.IsZero(),
		Record: &v1alpha1.RemediationReference{Name: recordstore.Name(m.obj.Name, m.obj.UID, m.ordinal+1)},
	}
	if m.record != nil {
		s.Record = &v1alpha1.RemediationReference{Name: m.record.obj.Name, UID: m.record.obj.UID}
	}
	if s.Health == ladder.Healthy {
		s.HealthySince = m.verdict().LastTransitionTime.Time
	}
	return s
}
