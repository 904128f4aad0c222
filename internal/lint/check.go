package lint

import (
	"fmt"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
	"github.com/sickbay-dev/sickbay/internal/targets"
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

// check judges one MachineHealthCheck.
func (l *linter) check(c *check) {
	l.refused(c)
	l.webhooks(c)
	l.conditions(c)
	l.startup(c)
	l.limits(c)
	l.selects(c)
	l.diskless(c)
}

// refused is what Sickbay refuses, in the words of its controllers.
func (l *linter) refused(c *check) {
	facts := admission.Facts{MachineHealthCheck: &c.mhc, SelectorProblem: (&targets.Selectors{}).Problem(&c.mhc)}
	facts.Template.Plan = c.template
	for _, sentence := range admission.Problems(facts) {
		field, message := fieldOf(sentence)
		l.add(c.find(Error, field, message))
	}
	if why, until := targets.OnHold(time.Time{}, &c.mhc); why != "" && until.IsZero() {
		l.add(c.find(Error, "metadata.annotations["+targets.HoldUntilAnnotation+"]", why))
	}
}

// webhooks is what the webhooks of other controllers refuse, and no schema says.
func (l *linter) webhooks(c *check) {
	if n := c.mhc.Spec.Checks.NodeStartupTimeoutSeconds; n != nil && *n > 0 && *n < 30 {
		l.add(c.find(Error, fieldStartup, fmt.Sprintf("it is %ds: Cluster API takes 0, which switches it off, and 30s or more", *n)))
	}
	if c.obj.Kind().Kind == "NodeHealthCheck" {
		l.nodeHealthCheck(c)
	}
}

// machines is for people: "1 Machine", "3 Machines".
func machines(n int) string {
	if n == 1 {
		return "1 Machine"
	}
	return fmt.Sprintf("%d Machines", n)
}

// names lists some names, the first few of many.
func names(all []string) string {
	const few = 3
	if len(all) > few {
		return fmt.Sprintf("%s and %d more", strings.Join(all[:few], ", "), len(all)-few)
	}
	return strings.Join(all, ", ")
}
