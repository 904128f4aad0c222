package explore

import (
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/fleet"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/remediation"
)

// insider sees the world with the manager's own controllers: their caches, and all that they remember. It is nil if a planted bug has
// taken one of them away.
func (w *world) insider() *fleet.Observer {
	p := w.leader
	checks, ok := p.controllers[machinehealthcheck.ControllerName].(*machinehealthcheck.Reconciler)
	repairs, also := p.controllers[remediation.ControllerName].(*remediation.Reconciler)
	if !ok || !also {
		return nil
	}
	return &fleet.Observer{
		Client: p.client, Live: p.client.Live(), Health: checks.Observer, Checks: checks, Repairs: repairs,
		Selectors: checks.Selectors, Policy: checks.Policy, Records: true, Clock: w.clock,
	}
}

// insideEvery is how many looks go by until one is compared, as that takes twice as long.
const insideEvery = 4

// sameInside fails if the manager itself would explain anything otherwise than somebody who looks from outside. A world at rest shows the
// same objects to both. Two things only the manager knows, and nobody compares then: which admissions it has failed at, and, for less than a
// second, what it has just made and not seen in its caches. It looks again at the latter, so it is known to be due.
func (w *world) sameInside(outside explain.Facts) {
	manager, next := w.insider(), w.leader.queue.next()
	if manager == nil || w.rests%insideEvery != 0 || (!next.IsZero() && !next.After(w.clock.now.Add(soonEnough))) {
		return
	}
	quiet := w.quiet
	w.quiet = true
	inside, err := manager.Look(w.ctx, "")
	w.quiet = quiet
	if err != nil {
		w.fail(ruleForetold, "the manager cannot read its fleet: %v", err)
		return
	}
	if slices.ContainsFunc(inside.Checks, func(c *explain.Check) bool { return len(c.Facts.Failures) > 0 }) {
		return
	}
	if diff := cmp.Diff(pagesOf(&inside), pagesOf(&outside), cmpopts.EquateEmpty()); diff != "" {
		w.fail(ruleForetold, "explain says something else inside the manager than from outside (-inside +outside):\n%s", diff)
	}
}

// pagesOf is all that explain says about a fleet.
func pagesOf(facts *explain.Facts) []explain.Page {
	var pages []explain.Page
	for _, m := range facts.Machines {
		pages = append(pages, facts.Page(m))
	}
	for _, c := range facts.Checks {
		pages = append(pages, facts.CheckPage(c))
	}
	for _, r := range facts.Records {
		pages = append(pages, facts.RecordPage(r))
	}
	for i := range facts.Clusters {
		pages = append(pages, facts.ClusterPage(&facts.Clusters[i]))
	}
	return pages
}
