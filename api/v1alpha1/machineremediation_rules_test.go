package v1alpha1_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// index matches an index of a list.
var index = regexp.MustCompile(`\[\d+\]`)

// TestEveryRuleHasARow: for each rule in the definitions, a row of the tables violates it.
func TestEveryRuleHasARow(t *testing.T) {
	sentences := map[string][]string{
		"machineremediations":         wanted("spec.steps", recordRows, changesOfFull, changesOfLeast, stepRows, stepsRows),
		"machineremediationtemplates": wanted("spec.template.spec.steps", planRows, templateRows, stepRows, stepsRows),
	}
	for _, row := range decisionRows {
		sentences["machineremediations"] = append(sentences["machineremediations"], row.want)
	}
	for _, row := range laterDecisions {
		sentences["machineremediations"] = append(sentences["machineremediations"], row.want)
	}
	for resource, sentences := range sentences {
		count := 0
		schema := definition(t, resource).Spec.Versions[0].Schema.OpenAPIV3Schema
		for _, rule := range schema.XValidations {
			if refused := demand(strings.TrimPrefix(rule.FieldPath, "."), "%s", rule.Message); !slices.ContainsFunc(sentences, refused.MatchString) {
				t.Errorf("%s: no row is refused with %s", resource, refused)
			}
		}
		walk("spec", schema.Properties["spec"], func(path string, is apiextensionsv1.JSONSchemaProps) {
			for _, demand := range demands(path, is) {
				count++
				if !slices.ContainsFunc(sentences, demand.MatchString) {
					t.Errorf("%s: no row is refused with %s", resource, demand)
				}
			}
		})
		t.Logf("%s: %d rules", resource, count)
		if count < 50 {
			t.Errorf("%s: only %d rules were found", resource, count)
		}
	}
}

// wanted returns the errors in tables, with all list indexes set to 0.
func wanted(steps string, tables ...map[string]row) []string {
	var sentences []string
	for _, table := range tables {
		for row := range maps.Values(table) {
			sentences = append(sentences, index.ReplaceAllString(about(steps, row.want), "[0]"))
		}
	}
	return sentences
}

// demands returns patterns for the errors with which a part of a definition refuses values.
func demands(path string, is apiextensionsv1.JSONSchemaProps) []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, name := range is.Required {
		all = append(all, demand(path+"."+name, "Required value"))
	}
	for _, rule := range is.XValidations {
		all = append(all, demand(path+rule.FieldPath, "%s", rule.Message))
	}
	if len(is.Enum) > 0 {
		all = append(all, demand(path, "Unsupported value"))
	}
	if is.Pattern != "" {
		all = append(all, demand(path, "should match '%s'", is.Pattern))
	}
	if is.MinLength != nil {
		all = append(all, demand(path, "at least %d chars long", *is.MinLength))
	}
	if is.MaxLength != nil {
		all = append(all, demand(path, "Too long: may not be more than %d bytes", *is.MaxLength))
	}
	return append(all, numbers(path, is)...)
}

// demand returns a pattern for an error about a path.
func demand(path, format string, args ...any) *regexp.Regexp {
	return regexp.MustCompile("^" + regexp.QuoteMeta(path) + ": .*" + regexp.QuoteMeta(fmt.Sprintf(format, args...)))
}

// numbers returns the demands on numbers and on lengths of lists.
func numbers(path string, is apiextensionsv1.JSONSchemaProps) []*regexp.Regexp {
	var all []*regexp.Regexp
	if is.Minimum != nil {
		all = append(all, demand(path, "greater than or equal to %v", int64(*is.Minimum)))
	}
	if is.Maximum != nil {
		all = append(all, demand(path, "less than or equal to %v", int64(*is.Maximum)))
	}
	if is.MinItems != nil {
		all = append(all, demand(path, "at least %d items", *is.MinItems))
	}
	// A set with an enum cannot have too many entries without a duplicate.
	if is.MaxItems != nil && is.Items.Schema.Enum == nil {
		all = append(all, demand(path, "must have at most %d items", *is.MaxItems))
	}
	if is.XListType != nil && *is.XListType != "atomic" {
		all = append(all, demand(path+"[0]", "Duplicate value"))
	}
	return all
}
