package monitor

import (
	"reflect"
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// insideEvery is how many looks there are for one comparison, because a comparison doubles their time.
const insideEvery = 8

// sameInside fails if the manager would explain anything differently from an observer outside. In a world at rest, both see the same
// objects. The manager alone knows which requests it could read before, and two more things, and then sameInside does not compare: which admissions
// failed, and what it has just created but not yet seen in its caches. What was deleted at once, it never sees, and counts for five seconds.
func (m *Monitor) sameInside(outside explain.Facts) {
	manager := m.w.Inside()
	if manager == nil || m.w.Forbidden() || !m.oneIn(insideEvery) {
		return
	}
	quiet := m.w.Quiet
	m.w.Quiet = true
	inside, err := manager.Look(m.w.Ctx, "")
	m.w.Quiet = quiet
	if err != nil {
		m.w.Fail(rules.Predicted, "the manager cannot read its fleet: %v", err)
		return
	}
	if slices.ContainsFunc(inside.Checks, func(c *explain.Check) bool { return c.Facts.Unseen || len(c.Facts.Failures) > 0 }) {
		return
	}
	here, there := pagesOf(&inside), pagesOf(&outside)
	// The quick comparison never takes different pages for equal ones.
	if reflect.DeepEqual(here, there) {
		return
	}
	if diff := cmp.Diff(here, there, cmpopts.EquateEmpty()); diff != "" {
		m.w.Fail(rules.Predicted, "explain says something else inside the manager than from outside (-inside +outside):\n%s", diff)
	}
}

// pagesOf returns everything that explain says about a fleet.
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
