package policies

import (
	"fmt"

	"github.com/sickbay-dev/sickbay/internal/annotationkeys"
)

// The fields of MachineHealthChecks, with their current and earlier names.
const (
	fieldRange  = "spec.remediation.triggerIf.unhealthyInRange"
	fieldAtMost = "spec.remediation.triggerIf.unhealthyLessThanOrEqualTo"

	readTemplate = "%[1]s.?spec.?remediation.?templateRef.orValue(%[1]s.?spec.?remediationTemplate.orValue({}))"
	readRange    = "%[1]s.?spec.?remediation.?triggerIf.?unhealthyInRange.orValue(%[1]s.?spec.?unhealthyRange.orValue(''))"
	readAtMost   = "%[1]s.?spec.?remediation.?triggerIf.?unhealthyLessThanOrEqualTo.orValue(%[1]s.?spec.?maxUnhealthy.orValue(''))"
	readPlan     = "%[1]s.?kind.orValue('') == 'MachineRemediationTemplate' && %[1]s.?apiVersion.orValue('').startsWith('" + annotationkeys.Prefix + "') ? %[1]s.?name.orValue('') : ''"
)

// healthChecks finds problems of MachineHealthChecks.
func healthChecks() *problems {
	p := &problems{kind: annotationkeys.HealthCheck}
	p.annotations(onHealthChecks)
	p.reads()
	for _, one := range besidePlans {
		p.value(one, " && variables.plan == ''")
		p.beside(one.key)
	}
	p.ranges()
	p.atMost()
	return p
}

// reads names the parts of the spec that the other expressions use.
func (p *problems) reads() {
	p.let("template", fmt.Sprintf(readTemplate, "object"))
	p.let("plan", fmt.Sprintf(readPlan, "variables.template"))
	p.let("templateBefore", "oldObject == null ? {} : "+fmt.Sprintf(readTemplate, "oldObject"))
	p.let("planBefore", fmt.Sprintf(readPlan, "variables.templateBefore"))
	p.let("range", fmt.Sprintf(readRange, "object"))
	p.let("rangeField", "has(object.spec.unhealthyRange) ? 'spec.unhealthyRange: ' : '"+fieldRange+": '")
	p.let("rangeChanged", "oldObject == null || variables.range != "+fmt.Sprintf(readRange, "oldObject"))
	p.let("atMost", fmt.Sprintf(readAtMost, "object"))
	p.let("atMostField", "has(object.spec.maxUnhealthy) ? 'spec.maxUnhealthy: ' : '"+fieldAtMost+": '")
	p.let("atMostChanged", "oldObject == null || variables.atMost != "+fmt.Sprintf(readAtMost, "oldObject")+" || variables.rangeChanged")
}

// beside finds an annotation that repeats a setting of the plan.
func (p *problems) beside(key string) {
	const named = "the-plan"
	sentence, err := said(p.document(key, "1", "  remediation: {templateRef: {apiVersion: sickbay.dev/v1alpha1, kind: MachineRemediationTemplate, name: "+named+"}}\n"),
		annotation(key), "beside")
	condition := fmt.Sprintf("variables.plan != '' && '%[1]s' in variables.annotations && ('%[1]s' in variables.changed || variables.plan != variables.planBefore)", key)
	p.find(variable(key)+"BesidePlan", when(condition, annotation(key), spoken(sentence, named, "variables.plan")), err)
}

// ranges finds ranges that are invalid, or whose numbers are in the wrong order.
func (p *problems) ranges() {
	p.let("bounds", `variables.range.matches('^\\[0*[0-9]{1,18}-0*[0-9]{1,18}\\]$') ?
variables.range.substring(1, size(variables.range) - 1).split('-').map(number, int(number)) : []`)
	p.let("rangeRead", "size(variables.bounds) == 2 && variables.bounds.all(number, number <= 2147483647)")
	unreadable, err := p.trigger(fieldRange, `"[1-99999999999]"`)
	reversed, otherErr := p.trigger(fieldRange, `"[5-3]"`)
	p.find("rangeNumbers", fmt.Sprintf("variables.range != '' && variables.rangeChanged && !variables.rangeRead ?\n[variables.rangeField + %s] : []",
		spoken(unreadable, `"[1-99999999999]"`, "strings.quote(variables.range)")), err)
	p.find("rangeOrder", fmt.Sprintf("variables.rangeChanged && variables.rangeRead && variables.bounds[0] > variables.bounds[1] ?\n[variables.rangeField + %s] : []",
		spoken(reversed, `"[5-3]"`, "strings.quote(variables.range)")), otherErr)
}

// atMost finds limits that are neither a number nor a percentage. With a range, they are not used.
func (p *problems) atMost() {
	p.let("atMostText", "string(variables.atMost)")
	looked := "variables.range == '' && variables.atMostText != '' && variables.atMostChanged"
	text, err := p.trigger(fieldAtMost, "most")
	negative, otherErr := p.trigger(fieldAtMost, "-1")
	p.find("limit", fmt.Sprintf("%s && type(variables.atMost) == string && !variables.atMostText.matches('^[+-]?[0-9]{1,18}%%$') ?\n[variables.atMostField + %s] : []",
		looked, spoken(text, `"most"`, quoted("variables.atMostText"))), err)
	p.find("negativeLimit", fmt.Sprintf("%s && variables.atMostText.matches('^-[0-9]*[1-9][0-9]*%%?$') && (type(variables.atMost) == int || variables.atMostText.matches('^-[0-9]{1,18}%%$')) ?\n[variables.atMostField + %s] : []",
		looked, spoken(negative, `"-1"`, quoted("variables.atMostText"))), otherErr)
}

// trigger returns lint's message about a value of triggerIf.
func (p *problems) trigger(field, value string) (string, error) {
	name := field[len("spec.remediation.triggerIf."):]
	return said(healthCheck("  remediation: {triggerIf: {"+name+": "+value+"}}\n"), field, "must")
}
