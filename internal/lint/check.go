package lint

import (
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/words"
)

// The fields that findings are about.
const (
	fieldSelector    = "spec.selector"
	fieldTriggerIf   = "spec.remediation.triggerIf"
	fieldAtMost      = fieldTriggerIf + ".unhealthyLessThanOrEqualTo"
	fieldInRange     = fieldTriggerIf + ".unhealthyInRange"
	fieldRemediation = "spec.remediation"
	fieldTemplate    = "spec.remediation.templateRef"
	fieldStartup     = "spec.checks.nodeStartupTimeoutSeconds"
	fieldSteps       = "spec.template.spec.steps"
)

// check checks one MachineHealthCheck.
func (l *linter) check(c *check) {
	l.refused(c)
	l.webhooks(c)
	l.conditions(c)
	l.startup(c)
	l.limits(c)
	l.selects(c)
	l.diskless(c)
	l.checkKinds(c)
}

// refused finds what Sickbay rejects, with the messages of its controllers.
func (l *linter) refused(c *check) {
	facts := admission.Facts{MachineHealthCheck: &c.mhc, SelectorProblem: (&mhcspec.Selectors{}).Problem(&c.mhc)}
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
	if c.obj.Kind().Kind == "NodeHealthCheck" {
		l.nodeHealthCheck(c)
	}
}

// durations finds invalid durations in Cluster API's older versions. Other dialects have patterns for them.
func (l *linter) durations(c *check) {
	if c.foreign {
		return
	}
	own, spec := place{obj: c.obj, node: c.obj.Node}, fields(c.obj.Value["spec"])
	bad := func(value any) bool {
		text, ok := value.(string)
		d, err := time.ParseDuration(text)
		return ok && (err != nil || d < 0)
	}
	const message = "it must be a duration like 5m or 1h30m"
	if bad(spec["nodeStartupTimeout"]) {
		l.add(own.find(Error, "spec.nodeStartupTimeout", message))
	}
	for _, list := range []string{"unhealthyConditions", "unhealthyMachineConditions"} {
		items, _ := spec[list].([]any)
		for i, item := range items {
			if bad(fields(item)["timeout"]) {
				l.add(own.find(Error, fmt.Sprintf("spec.%s[%d].timeout", list, i), message))
			}
		}
	}
}

// fields returns the fields of a value, if it has any.
func fields(value any) map[string]any {
	fields, _ := value.(map[string]any)
	return fields
}

// names lists some names, or only the first of many.
func names(all []string) string { return words.Some(all, 3) }
