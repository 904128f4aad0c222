package simulate

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
)

// Scene is a fleet with changed health checks and plans. It can be played once.
type Scene struct {
	from, until, now time.Time
	options          Options
	policy           mhcspec.Policy
	selectors        mhcspec.Selectors

	checks   []*check
	machines []*machine
	records  []*record
	// fleet are all machines at the beginning, those that no simulated health check has among them.
	fleet []*explain.Machine

	occupied onmachine.Occupied
	// owners is what is known about the owners of machines, and pools are their machines, by UID. assumed is what follows from them.
	owners  map[types.UID]silence.Facts
	pools   map[types.UID]*pool
	assumed map[string]bool

	agenda agenda
	// work is what must be decided at this moment.
	work work
	// moment is what has happened at this moment.
	moment moment
	result Result
	// stopped reports that Options.Stop has ended the simulation.
	stopped bool
}

// work lists the objects about which a decision is due.
type work struct {
	machines []*machine
	checks   []*check
	records  []*record
}

// assign gives each machine to the health checks that judge it.
func (s *Scene) assign(facts *explain.Facts, h sharing) {
	seen := targetsByUID(facts)
	s.occupied, s.owners, s.assumed = onmachine.Occupied{}, map[types.UID]silence.Facts{}, map[string]bool{}
	s.pools, s.fleet = map[types.UID]*pool{}, facts.Machines
	for _, m := range facts.Machines {
		s.joinPool(m)
		judging, others := h.of(m.Machine)
		if len(judging) == 0 || !mhcspec.IsTarget(m.Machine) {
			continue
		}
		if judging[0].played {
			s.give(m, judging, seen[m.Machine.UID])
		}
		for _, c := range others {
			if c.played {
				c.facts.Elsewhere[judging[0].mhc.Name] = append(c.facts.Elsewhere[judging[0].mhc.Name], m.Machine.Name)
			}
		}
	}
	for _, c := range s.checks {
		c.gather()
	}
}

// targetsByUID returns the targets of all health checks, with what was observed about them besides their Machines.
func targetsByUID(facts *explain.Facts) map[types.UID]admission.Target {
	all := make(map[types.UID]admission.Target, len(facts.Machines))
	for _, c := range facts.Checks {
		for _, target := range c.Facts.Targets {
			all[target.Machine.UID] = target
		}
	}
	return all
}

// give adds a machine to its health checks.
func (s *Scene) give(from *explain.Machine, judging []*check, seen admission.Target) {
	first := max(0, slices.IndexFunc(judging, func(c *check) bool { return c.paused == "" }))
	m := &machine{obj: from.Machine, checks: judging, check: judging[first], stray: seen.Stray, host: seen.Host}
	if from.Health != nil {
		health := *from.Health
		health.HeardAt = s.from // The detectors that are heard now are heard later, too.
		health.Rules, health.More = m.rulesFor()
		m.health = &health
	}
	if mark := onmachine.MarkOf(m.obj); mark.State == ladder.MarkRefused {
		m.refused = cmp.Or(mark.Message, "it cannot")
	}
	s.machines = append(s.machines, m)
	for _, c := range judging {
		c.add(m)
	}
}

// addRecords adds the open repairs. Repairs of machines that no simulated health check manages do not advance.
func (s *Scene) addRecords(facts *explain.Facts) {
	byUID := map[types.UID]*machine{}
	for _, m := range s.machines {
		byUID[m.obj.UID] = m
	}
	elsewhere := map[types.UID]bool{}
	for _, m := range facts.Machines {
		elsewhere[m.Machine.UID] = byUID[m.Machine.UID] == nil
	}
	for _, from := range facts.Records {
		copied := *from.Record
		r := &record{obj: &copied, machine: byUID[copied.Spec.MachineRef.UID], base: from.Facts}
		r.base.Record = r.obj
		r.check = s.checkOf(r, elsewhere[copied.Spec.MachineRef.UID])
		s.remember(r)
		if r.machine != nil {
			r.machine.ordinal = max(r.machine.ordinal, recordstore.Ordinal(r.obj))
		}
		if ladder.Ended(r.obj) || r.check == nil || from.Problem != "" {
			continue
		}
		if r.machine != nil {
			r.machine.record, r.machine.check, r.machine.underWay = r, r.check, hasAsked(r.obj)
		}
		r.found(s.machines)
		s.records = append(s.records, r)
	}
}

// hasAsked reports whether a record has asked anybody for anything.
func hasAsked(r *v1alpha1.MachineRemediation) bool {
	return slices.ContainsFunc(r.Status.Attempts, func(a v1alpha1.RemediationAttempt) bool { return a.ObjectRef != nil })
}

// checkOf returns the health check that a record counts for: its machine's, or if the machine belongs to none, the one that the
// record names.
func (s *Scene) checkOf(r *record, elsewhere bool) *check {
	if r.machine != nil {
		for _, c := range r.machine.checks {
			if c.mhc.Name == r.obj.Spec.HealthCheckRef.Name && !r.obj.Spec.AskedFor() {
				return c
			}
		}
		return r.machine.checks[0]
	}
	for _, c := range s.checks {
		if !elsewhere && c.mhc.Namespace == r.obj.Namespace && c.mhc.Name == r.obj.Spec.HealthCheckRef.Name {
			return c
		}
	}
	return nil
}

// remember adds a record to the history of its cluster, and to its health check.
func (s *Scene) remember(r *record) {
	for _, c := range s.checks {
		if c.cluster.Namespace == r.obj.Namespace && c.cluster.Name == r.obj.Spec.ClusterName {
			c.facts.History = append(c.facts.History, r.obj)
		}
	}
	concerned := []*check{r.check}
	if r.machine != nil {
		concerned = r.machine.checks
	}
	for _, c := range concerned {
		if c != nil {
			c.facts.Records = append(c.facts.Records, r.obj)
		}
	}
}

// ReadHealth sets the facts for the verdicts on machines that no health check selected before. Those that cannot be read keep their verdicts.
func (s *Scene) ReadHealth(read func(*clusterv1.Machine, *clusterv1.MachineHealthCheck, *clusterv1.Cluster) (verdict.Facts, error)) {
	for _, m := range s.machines {
		if m.health != nil {
			continue
		}
		if health, err := read(m.obj, m.check.mhc, m.check.cluster); err == nil {
			m.health = &health
			m.health.HeardAt = s.from
			m.health.Rules, m.health.More = m.rulesFor()
		}
	}
}
