package policies

import (
	"errors"
	"fmt"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/sickbay-dev/sickbay/internal/annotationkeys"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// danger is a valid setting that deserves a warning.
type danger struct {
	// safe is an expression that is true if there is no danger.
	safe string
	// triggerIf is a dangerous example. field and example are the field and the value that lint names in it; sayField and sayValue are the
	// expressions that replace them.
	triggerIf, field, example string
	sayField, sayValue        string
}

var dangers = []danger{
	{
		safe:      "variables.range == '' || variables.atMostText == '' || (has(object.spec.maxUnhealthy) && variables.atMostText == '100%')",
		triggerIf: `unhealthyInRange: "[1-2]", unhealthyLessThanOrEqualTo: 1`, field: fieldAtMost, sayField: "variables.atMostField",
	},
	{
		safe:      `!variables.range.matches('^\\[0+-0+\\]$')`,
		triggerIf: `unhealthyInRange: "[0-0]"`, field: fieldRange, example: "[0-0]", sayField: "variables.rangeField", sayValue: "variables.range",
	},
	{
		safe:      "variables.range != '' || !variables.atMostText.matches('^0+%?$')",
		triggerIf: "unhealthyLessThanOrEqualTo: 0", field: fieldAtMost, example: "0", sayField: "variables.atMostField", sayValue: "variables.atMostText",
	},
	{
		safe:     "variables.bounded || variables.range != '' || variables.atMostText != ''",
		field:    "spec.remediation.triggerIf",
		sayField: "(object.apiVersion.endsWith('/v1beta1') ? 'spec.maxUnhealthy: ' : 'spec.remediation.triggerIf: ')",
	},
	{
		safe:      "variables.bounded || variables.range != '' || !variables.atMostText.matches('^[1-9][0-9]{2,}%$')",
		triggerIf: "unhealthyLessThanOrEqualTo: 100%", field: fieldAtMost, example: "100%", sayField: "variables.atMostField", sayValue: "variables.atMostText",
	},
}

// warnings finds valid but dangerous settings of Cluster API's MachineHealthChecks. Each has its own warning.
func warnings() (variables []admissionv1.Variable, validations []admissionv1.Validation, err error) {
	p := &problems{kind: annotationkeys.HealthCheck}
	p.let("annotations", readAnnotations)
	p.reads()
	p.let("atMostText", "string(variables.atMost)")
	p.let("dryRun", fmt.Sprintf("'%[1]s' in variables.annotations && !(variables.annotations['%[1]s'] in ['0', 'f', 'F', 'FALSE', 'false', 'False'])", mhcspec.DryRunAnnotation))
	p.let("bounded", fmt.Sprintf("variables.dryRun || variables.plan != '' || '%s' in variables.annotations", mhcspec.MaxInFlightAnnotation))
	for _, one := range dangers {
		spec := ""
		if one.triggerIf != "" {
			spec = "  remediation: {triggerIf: {" + one.triggerIf + "}}\n"
		}
		sentence, unsaid := said(healthCheck(spec), one.field, one.example)
		err = errors.Join(err, unsaid)
		says := literal(sentence)
		if one.example != "" {
			says = spoken(sentence, one.example, one.sayValue)
		}
		validations = append(validations, admissionv1.Validation{Expression: one.safe, MessageExpression: one.sayField + " + " + says})
	}
	return p.variables, validations, err
}
