package simulate

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// sharing finds the health checks that select each machine.
type sharing struct {
	scene     *Scene
	byCluster map[[2]string][]*clusterv1.MachineHealthCheck
	byUID     map[*clusterv1.MachineHealthCheck]*check
}

func (s *Scene) sharing(all []*check) sharing {
	h := sharing{s, map[[2]string][]*clusterv1.MachineHealthCheck{}, map[*clusterv1.MachineHealthCheck]*check{}}
	for _, c := range all {
		in := [2]string{c.mhc.Namespace, c.mhc.Spec.ClusterName}
		h.byCluster[in], h.byUID[c.mhc] = append(h.byCluster[in], c.mhc), c
	}
	return h
}

// of returns the health checks that judge a machine, the oldest first, and those that leave it to one of another controller.
func (h sharing) of(machine *clusterv1.Machine) (judging, others []*check) {
	all := h.scene.selectors.Selecting(machine, slices.Clone(h.byCluster[[2]string{machine.Namespace, machine.Spec.ClusterName}]))
	ours, stranger := h.scene.policy.Share(slices.Clone(all))
	if stranger != nil {
		ours = []*clusterv1.MachineHealthCheck{stranger}
	}
	for _, mhc := range all {
		if slices.Contains(ours, mhc) {
			judging = append(judging, h.byUID[mhc])
		} else {
			others = append(others, h.byUID[mhc])
		}
	}
	return judging, others
}

// playRivals has health checks played that share machines with those that are.
func (h sharing) playRivals(machines []*explain.Machine) {
	for again := true; again; {
		again = false
		for _, m := range machines {
			judging, _ := h.of(m.Machine)
			played := slices.ContainsFunc(judging, func(c *check) bool { return c.played })
			for _, c := range judging {
				again, c.played = again || played && !c.played, played || c.played
			}
		}
	}
}

// rulesFor returns the rules by which a machine is judged.
func (m *machine) rulesFor() (rules mhcspec.Rules, more []mhcspec.Rules) {
	if len(m.checks) == 1 {
		return m.check.rulesOfHealth, nil
	}
	for _, c := range m.checks {
		more = append(more, mhcspec.SharedRulesOf(c.mhc, c.cluster))
	}
	return more[0], more[1:]
}

// pausedBy says why nobody judges a machine; empty if somebody does.
func (m *machine) pausedBy() string {
	for _, c := range m.checks {
		if c.paused == "" && !c.foreign {
			return ""
		}
	}
	return m.check.paused
}

// own returns what a health check's own rules find. If the machine cannot be judged here, the stored verdict counts.
func (c *check) own(s *Scene, m *machine) healthcheck.Result {
	if !m.judged() {
		return healthcheck.Result{Status: healthcheck.Status(m.verdict().Status), Reason: m.verdict().Reason, Message: m.verdict().Message}
	}
	return verdict.Decide(m.health.By(c.rulesOfHealth), s.now)
}

// share updates what a health check knows about the machines that others select, too. It reports whether there are any.
func (c *check) share(s *Scene) (shares bool) {
	for i, m := range c.machines {
		if len(m.checks) < 2 {
			continue
		}
		target, own := &c.facts.Targets[i], c.own(s, m)
		target.Shared = nil
		shared := &admission.Shared{Part: admission.PartOf(target.Verdict(), own), ChangesAt: own.NextChange()}
		for _, o := range m.checks {
			shared.Checks = append(shared.Checks, o.mhc)
		}
		for _, older := range m.checks[:slices.Index(m.checks, c)] {
			if own.Status == healthcheck.False && older.own(s, m).Status == healthcheck.False {
				shared.Older = append(shared.Older, older.mhc)
			}
		}
		target.Present, target.Shared, shares = admission.PresentOf(own), shared, true
		if p := shared.Part; p != nil && p.Status == metav1.ConditionTrue && m.sick() && m.record != nil && ladder.InFlight(m.record.obj) {
			p.Status, target.Present = metav1.ConditionUnknown, metav1.ConditionUnknown
		}
	}
	return shares
}

// suspect finds which conditions so many Nodes show at once that their detector may be wrong.
func (s *Scene) suspect(c *check) {
	_ = c.facts.Suspect(s.now, func(machine *clusterv1.Machine) (verdict.Facts, error) {
		if m := c.byUID[machine.UID]; m.health != nil {
			return m.health.By(c.rulesOfHealth), nil
		}
		return verdict.Facts{}, nil
	})
}

// lead notes which machines other health checks repair, and which ones this one does.
func (s *Scene) lead(c *check) {
	if !c.share(s) {
		return
	}
	_ = c.facts.Lead(func(mhc *clusterv1.MachineHealthCheck) (string, error) {
		return s.checks[slices.IndexFunc(s.checks, func(o *check) bool { return o.mhc == mhc })].passedOver(s), nil
	})
	able := c.passedOver(s)
	for i, m := range c.machines {
		if shared := c.facts.Targets[i].Shared; shared != nil && shared.Other == "" && able == "" && m.record == nil {
			m.check = c
		}
		if len(m.checks) < 2 || able == c.able {
			continue
		}
		for _, o := range m.checks {
			s.look(o)
		}
		if m.record != nil {
			m.record.touch(s)
		}
	}
	c.able = able
}

// passedOver says why a health check begins no repair now; empty if it may.
func (c *check) passedOver(s *Scene) string {
	if c.foreign {
		return "another controller manages it"
	}
	if why := admission.PassedOver(c.facts, s.now); why != "" {
		return why
	}
	c.gather()
	c.share(s)
	return admission.GateClosed(c.facts, true)
}

// handedOver says which other health check leads now for a record of which nothing has begun; empty if none does.
func (s *Scene) handedOver(r *record) ladder.Cause {
	m := r.machine
	if m == nil || m.gone || len(m.checks) < 2 || m.standing() == ladder.Healthy || ladder.HasBegun(r.obj) {
		return ladder.Cause{}
	}
	return s.whoLeads(r, m)
}

// whoLeads says that another health check leads, or none does and the record's own finds the machine healthy.
func (s *Scene) whoLeads(r *record, m *machine) ladder.Cause {
	for _, c := range m.checks {
		if m.sick() && c.own(s, m).Status == healthcheck.False && c.passedOver(s) == "" {
			if c == r.check {
				return ladder.Cause{}
			}
			return ladder.Cause{What: ladder.OtherLeads, Name: c.mhc.Name}
		}
	}
	if r.check != nil && r.check.own(s, m).Status == healthcheck.True {
		return ladder.Cause{What: ladder.NoneLeads, Name: r.check.mhc.Name}
	}
	return ladder.Cause{}
}
