package lint

import (
	"cmp"
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// The fields that findings are about.
const (
	fieldSelector    = "spec.selector"
	fieldChecks      = "spec.checks"
	fieldTriggerIf   = "spec.remediation.triggerIf"
	fieldAtMost      = fieldTriggerIf + ".unhealthyLessThanOrEqualTo"
	fieldInRange     = fieldTriggerIf + ".unhealthyInRange"
	fieldRemediation = "spec.remediation"
	fieldTemplate    = "spec.remediation.templateRef"
	fieldStartup     = fieldChecks + ".nodeStartupTimeoutSeconds"
	fieldSteps       = "spec.template.spec.steps"
)

// check checks one MachineHealthCheck.
func (l *linter) check(c *check) {
	l.refused(c)
	l.webhooks(c)
	l.conditions(c)
	l.signals(c)
	l.startup(c)
	l.limits(c)
	l.selects(c)
	l.mixed(c)
	l.silent(c)
	l.machineless(c)
	l.diskless(c)
	l.checkKinds(c)
}

// refused finds what Sickbay rejects, with the messages of its controllers.
func (l *linter) refused(c *check) {
	facts := admission.Facts{MachineHealthCheck: &c.mhc}
	if !l.expressions(c) {
		facts.SelectorProblem = c.selectorProblem()
	}
	facts.Template.Plan = c.template
	for _, sentence := range admission.Problems(facts) {
		field, message := fieldOf(sentence)
		l.add(c.find(Error, field, itself(message)))
	}
	l.hold(c.place, &c.mhc)
	if own := (place{obj: c.obj, node: c.obj.Node}); takesAnnotations(c.obj.Kind()) {
		l.unknownAnnotations(own)
	}
}

// webhooks finds what the webhooks of other controllers reject although the schema allows it.
func (l *linter) webhooks(c *check) {
	if n := c.mhc.Spec.Checks.NodeStartupTimeoutSeconds; n != nil && *n > 0 && *n < 30 {
		l.add(c.find(Error, fieldStartup, fmt.Sprintf("it is %ds: Cluster API takes 0, which switches it off, and 30s or more", *n)))
	}
	l.durations(c)
	l.templateElsewhere(c)
	if c.obj.Kind().Kind == "NodeHealthCheck" {
		l.nodeHealthCheck(c)
	}
}

// durations finds invalid durations in Cluster API's older versions. Other dialects have patterns for them.
func (l *linter) durations(c *check) {
	if c.foreign {
		return
	}
	own, spec, at := place{obj: c.obj, node: c.obj.Node}, c.spec, c.at()
	bad := func(value any) bool {
		text, ok := value.(string)
		d, err := time.ParseDuration(text)
		return ok && (err != nil || d < 0)
	}
	const message = "it must be a duration like 5m or 1h30m"
	if bad(spec["nodeStartupTimeout"]) {
		l.add(own.find(Error, at+".nodeStartupTimeout", message))
	}
	for _, list := range []string{"unhealthyConditions", "unhealthyMachineConditions"} {
		items, _ := spec[list].([]any)
		for i, item := range items {
			if bad(fields(item)["timeout"]) {
				l.add(own.find(Error, fmt.Sprintf("%s.%s[%d].timeout", at, list, i), message))
			}
		}
	}
}

// at returns the field of the object that is the spec of the check.
func (c *check) at() string { return cmp.Or(c.within, "spec") }

// templateElsewhere finds a template that is never found, because it is looked for in the namespace of the object. A NodeHealthCheck has no
// namespace.
func (l *linter) templateElsewhere(c *check) {
	named, _ := fields(c.spec["remediationTemplate"])["namespace"].(string)
	own := l.namespace(c.obj.Namespace())
	if named == "" || named == own || c.obj.Kind().Kind == "NodeHealthCheck" {
		return
	}
	said := fmt.Sprintf("the template is looked for in namespace %s, that of the %s, and never in %s", own, c.obj.Kind().Kind, named)
	if own == "" {
		said = fmt.Sprintf("the template is looked for in the namespace of the %s, which names none; give it the namespace %s", c.obj.Kind().Kind, named)
	}
	l.add(place{obj: c.obj, node: c.obj.Node}.find(Warning, c.at()+".remediationTemplate.namespace", said))
}

// fields returns the fields of a value, if it has any.
func fields(value any) map[string]any {
	fields, _ := value.(map[string]any)
	return fields
}

// names lists some names, or only the first of many.
func names(all []string) string { return humanize.Some(all, 3) }
