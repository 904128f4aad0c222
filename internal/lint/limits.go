package lint

import (
	"fmt"
	"strings"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/words"
)

// limits checks how many machines may be repaired, and how many at once.
func (l *linter) limits(c *check) {
	trigger := c.mhc.Spec.Remediation.TriggerIf
	facts := admission.Facts{MachineHealthCheck: &c.mhc}
	facts.Template.Plan = c.template
	if trigger.UnhealthyInRange != "" && trigger.UnhealthyLessThanOrEqualTo != nil {
		l.add(c.find(Warning, fieldAtMost, "it is ignored, because unhealthyInRange takes precedence"))
	}
	most, bounded := admission.GateBound(&c.mhc)
	if !bounded {
		l.noLimit(c, facts, fieldTriggerIf, "there is no limit")
		return
	}
	field, value := fieldInRange, trigger.UnhealthyInRange
	if value == "" {
		field, value = fieldAtMost, trigger.UnhealthyLessThanOrEqualTo.String()
	}
	if !valid(c) {
		return
	}
	switch {
	case most(1_000_000) == 0:
		l.add(c.find(Warning, field, value+" means that nothing is ever repaired"))
	case admission.AlwaysOpen(&c.mhc):
		l.noLimit(c, facts, field, value+" is no limit")
	default:
		l.limitOnFleet(c, facts, field, value, most)
	}
}

// valid reports whether the limits are valid.
func valid(c *check) bool {
	for _, sentence := range admission.Problems(admission.Facts{MachineHealthCheck: &c.mhc}) {
		if field, _ := fieldOf(sentence); strings.HasPrefix(field, fieldTriggerIf) {
			return false
		}
	}
	return true
}

// noLimit warns of a missing limit, unless something else limits the repairs.
func (l *linter) noLimit(c *check, facts admission.Facts, field, what string) {
	paced := c.template != nil && c.template.Spec.Template.Spec.Pacing != nil
	unknownPlan := c.template == nil && mhcspec.NamesPlan(&c.mhc)
	config, _ := mhcspec.ParseConfig(&c.mhc, c.template)
	if admission.Bounded(facts) || paced || unknownPlan || c.turned || config.OnlyReports() {
		return
	}
	l.add(c.find(Warning, field, what+": when something breaks for all machines at once, all of them are repaired at once"))
}

// limitOnFleet checks a limit against the selected machines.
func (l *linter) limitOnFleet(c *check, facts admission.Facts, field, value string, most func(int) int) {
	selected, ok := l.selected(c)
	if !ok || len(selected) == 0 {
		return
	}
	n := len(selected)
	switch limit := most(n); {
	case limit == 0:
		l.add(c.find(Warning, field, fmt.Sprintf("%s of %s is 0: nothing is ever repaired", value, words.Count(n, "Machine", "Machines"))))
	case lowest(value) > n:
		l.add(c.find(Warning, field, fmt.Sprintf("%s begins above the %s that there are: nothing is ever repaired", value, words.Count(n, "Machine", "Machines"))))
	case limit >= n && n > 1:
		l.noLimit(c, facts, field, fmt.Sprintf("%s is no limit for the %s that there are", value, words.Count(n, "Machine", "Machines")))
	}
}

// lowest returns the lower bound of a range such as [3-5]; 0 for an invalid range.
func lowest(text string) (n int) {
	if _, err := fmt.Sscanf(text, "[%d-", &n); err != nil {
		return 0
	}
	return n
}
