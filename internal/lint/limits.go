package lint

import (
	"fmt"
	"strings"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
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
	if config, _ := mhcspec.ParseConfig(&c.mhc, c.template); !bounded && config.OnlyReports() {
		return
	}
	if !bounded {
		l.noLimit(c, facts, fieldTriggerIf, "there is no limit")
		return
	}
	if !valid(c) {
		return
	}
	field, value := asWritten(c)
	switch {
	case most(1_000_000) == 0:
		l.add(c.find(Warning, field, value+" means that nothing is ever repaired"))
	case admission.AlwaysOpen(&c.mhc):
		l.noLimit(c, facts, field, value+" is no limit")
	default:
		l.limitOnFleet(c, facts, field, value, most)
	}
}

// asWritten is the limit as the author wrote it, and the field it is in.
func asWritten(c *check) (field, value string) {
	trigger := c.mhc.Spec.Remediation.TriggerIf
	field, value = fieldInRange, trigger.UnhealthyInRange
	if value == "" {
		field, value = fieldAtMost, trigger.UnhealthyLessThanOrEqualTo.String()
	}
	if healthy, ok := c.spec["minHealthy"]; ok && c.spec["maxUnhealthy"] == nil {
		value = fmt.Sprint(healthy)
	}
	return field, value
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
	// The owner of a control plane repairs one machine at a time by itself.
	if c.embedded && (c.controlPlane || c.paced) {
		return
	}
	if admission.Bounded(facts) || paced || unknownPlan || c.turned {
		return
	}
	l.add(c.find(Warning, field, what+": when something breaks for all machines at once, all of them are repaired at once"))
}

// limitOnFleet checks a limit against the selected machines, in the fleet or of the files.
func (l *linter) limitOnFleet(c *check, facts admission.Facts, field, value string, most func(int) int) {
	all := []size{l.sized(c)}
	for _, n := range l.sizesOf(c) {
		all = append(all, size{make([]*clusterv1.Machine, n), ofFiles})
	}
	for _, of := range all {
		if len(of.machines) > 0 {
			l.limitOn(c, facts, field, value, of, most(len(of.machines)))
		}
	}
}

// limitOn checks what a limit comes to for some machines.
func (l *linter) limitOn(c *check, facts admission.Facts, field, value string, of size, limit int) {
	n := len(of.machines)
	switch {
	case limit == 0:
		l.add(c.find(Warning, field, fmt.Sprintf("%s of %s is 0: nothing is ever repaired", value, of.count(""))))
	case lowest(value) > n:
		l.add(c.find(Warning, field, fmt.Sprintf("%s begins above the %s: nothing is ever repaired", value, of.count(" that there are"))))
	case limit >= n && n > 1:
		l.noLimit(c, facts, field, fmt.Sprintf("%s is no limit for the %s", value, of.count(" that there are")))
	}
}

// lowest returns the lower bound of a range such as [3-5]; 0 for an invalid range.
func lowest(text string) (n int) {
	if _, err := fmt.Sscanf(text, "[%d-", &n); err != nil {
		return 0
	}
	return n
}
