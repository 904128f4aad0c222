package simulate

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/ahead"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
	"github.com/sickbay-dev/sickbay/internal/repair/pacing"
	"github.com/sickbay-dev/sickbay/internal/repair/rules"
)

// check is a simulated MachineHealthCheck.
type check struct {
	mhc     *clusterv1.MachineHealthCheck
	cluster *clusterv1.Cluster
	change  Change
	// known is the MachineHealthCheck in the fleet; nil if there is none.
	known  *explain.Check
	played bool
	// foreign reports that this Sickbay does not manage it.
	foreign bool

	machines []*machine
	byUID    map[types.UID]*machine
	// places are the indexes of the machines among the targets.
	places   map[types.UID]int
	facts    admission.Facts
	decision admission.Decision

	rulesOfHealth mhcspec.Rules
	rules         *rules.Rules
	// paused, onlyReports and misconfigured say why nothing is done until somebody changes that; empty if it does not apply.
	paused, misconfigured string
	onlyReports           ladder.Cause
	// bounded reports that slots or pacing limit its repairs.
	bounded bool

	dirty bool
	// able is why it begins no repair, as it was seen last; empty if it may.
	able string
	// stale reports that machines have come or gone since the last gather.
	stale bool
	// gate caches the state of the gate at this moment; changes of machines or slots clear it.
	gate  *gate
	shown shown
}

type gate struct{ first, further, overBudget string }

// prepare computes what does not change over time.
func (c *check) prepare(plans plans, selectorProblem error, kindsMissing bool) {
	c.facts = admission.Facts{
		MachineHealthCheck: c.mhc, Cluster: c.cluster, Elsewhere: map[string][]string{}, Template: plans.of(c.mhc, c.known), KindsMissing: kindsMissing,
		SelectorProblem: selectorProblem,
	}
	c.rulesOfHealth = mhcspec.RulesOf(c.mhc)
	if plan := c.facts.Template.Plan; plan != nil {
		var err error
		if c.rules, err = rules.Compile(&plan.Spec.Template.Spec); err != nil {
			c.facts.Template.Problem = "MachineRemediationTemplate " + plan.Name + ": " + err.Error()
		}
	}
	config, problems := mhcspec.ParseConfig(c.mhc, c.facts.Template.Plan)
	c.bounded = config.Bounded()
	c.onlyReports = admission.OnlyReports(c.mhc.Name, config)
	if !c.onlyReports.IsSet() {
		c.misconfigured = cmp.Or(c.facts.Template.Missing, strings.Join(problems, "; "))
	}
	c.paused = strings.Join(mhcspec.Paused(c.mhc, c.cluster), ", ")
	c.shown = shown{waits: map[types.UID]string{}}
}

// add adds a machine to the health check.
func (c *check) add(m *machine) {
	c.machines, c.stale, c.gate = append(c.machines, m), true, nil
	if c.byUID == nil {
		c.byUID = map[types.UID]*machine{}
	}
	c.byUID[m.obj.UID] = m
}

// gather makes all existing machines the targets of the health check, sorted by name.
func (c *check) gather() {
	if !c.stale {
		return
	}
	c.stale = false
	c.machines = slices.DeleteFunc(c.machines, func(m *machine) bool { return m.gone })
	slices.SortFunc(c.machines, func(a, b *machine) int { return cmp.Compare(a.obj.Name, b.obj.Name) })
	c.facts.Targets, c.places = make([]admission.Target, len(c.machines)), make(map[types.UID]int, len(c.machines))
	for i, m := range c.machines {
		c.places[m.obj.UID] = i
		c.facts.Targets[i] = admission.Target{Machine: m.obj, Stray: m.stray, Host: m.host, AwaitedBy: m.awaitedBy()}
	}
}

// update updates the target of a machine.
func (c *check) update(m *machine) {
	if !c.stale && !m.gone {
		target := &c.facts.Targets[c.places[m.obj.UID]]
		target.Machine, target.AwaitedBy = m.obj, m.awaitedBy()
	}
	c.gate = nil
}

// decide admits the machines that may be repaired now.
func (s *Scene) decide(c *check) {
	if c.foreign {
		return
	}
	c.gather()
	s.suspect(c)
	s.lead(c)
	c.decision = admission.Decide(c.facts, s.now)
	if !c.decision.Config.OnlyReports() && len(c.decision.Admit) > 0 {
		s.admit(c)
		s.lead(c)
		c.decision = admission.Decide(c.facts, s.now)
	}
	if c.decision.Config.OnlyReports() {
		for i, one := range c.decision.Admit {
			c.decision.Admit[i] = c.starting(one)
		}
	}
	if c.facts.Template.Missing == "" || !c.decision.Stopped.Until.IsZero() {
		s.agenda.add(ahead.FirstAfter(s.now, c.decision.RecheckAt), func() { s.look(c) })
	}
}

// verdictOn returns what the health check finds on one of its machines; nil if nobody has judged it.
func (c *check) verdictOn(m *machine) *metav1.Condition {
	c.gather()
	if i, ok := c.places[m.obj.UID]; ok {
		return c.facts.Targets[i].Verdict()
	}
	return nil
}

// admit admits machines by the decision. If one turns out to need no slot, the slot goes to the next.
func (s *Scene) admit(c *check) {
	due, next := c.decision.Admit, c.decision.Next
	for len(due) > 0 {
		places := 0
		for _, one := range due {
			started := c.starting(one)
			s.admitOne(c, started)
			if one.Grant > 0 && started.Grant == 0 && one.Stray == "" {
				places++
			}
		}
		n := min(places, len(next))
		due, next = next[:n], next[n:]
	}
	c.gate = nil
}

// starting sets the step with which a repair begins, by the rules of the plan.
func (c *check) starting(one admission.Admission) admission.Admission {
	plan := c.facts.Template.Plan
	if plan == nil || len(plan.Spec.Template.Spec.Rules) == 0 {
		return one
	}
	m := c.byUID[one.Machine.UID]
	step, rule, err := c.rules.StartAt(rules.InputOf(one.Machine, m.node(), c.rulesOfHealth, one.Verdict(), nil))
	return c.decision.StartBy(one, step, rule, err)
}

// admitOne grants a record another slot, or creates a new record.
func (s *Scene) admitOne(c *check, one admission.Admission) {
	m := c.byUID[one.Machine.UID]
	if one.Record != nil {
		m.record.touch(s)
		m.record.obj.Spec.Grant = one.Grant
		return
	}
	spec := admission.Spec(c.facts, c.decision, one, s.now)
	m.ordinal++
	obj := recordstore.New(c.cluster, m.ordinal, spec)
	maps.Copy(obj.Annotations, pacing.Annotations(m.obj))
	obj.UID, obj.CreationTimestamp = types.UID("simulated-"+obj.Namespace+"/"+obj.Name), metav1.NewTime(s.now)
	r := &record{obj: obj, machine: m, check: c, rules: c.rules, isNew: true}
	r.base = onmachine.Facts(m.obj, obj)
	m.record, m.check = r, c
	s.records = append(s.records, r)
	s.remember(r)
	r.touch(s)
	s.goesOn(r)
}

// brakes says why an attempt of a record may not act now even though it has a slot.
func (c *check) brakes(r *v1alpha1.MachineRemediation, now time.Time) (gateClosed, overBudget string) {
	c.gather()
	if c.gate == nil {
		c.gate = &gate{}
		if admission.Bounded(c.facts) {
			c.gate.overBudget = admission.OverBudget(c.facts, now)
		}
		if _, bounded := admission.GateBound(c.mhc); bounded {
			c.gate.first, c.gate.further = admission.GateClosed(c.facts, true), admission.GateClosed(c.facts, false)
		}
	}
	switch {
	case ladder.NeedsNoSlot(r):
		return "", ""
	case r.Spec.AskedFor():
		// No gate counts for an annotation.
		return "", c.gate.overBudget
	}
	gateClosed = c.gate.first
	if ladder.HasBegun(r) {
		gateClosed = c.gate.further
	}
	if i, ok := c.places[r.Spec.MachineRef.UID]; ok {
		gateClosed = cmp.Or(c.facts.Targets[i].Suspected, gateClosed)
	}
	return gateClosed, c.gate.overBudget
}
