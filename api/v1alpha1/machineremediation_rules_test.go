package v1alpha1_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// index matches an index of a list.
var index = regexp.MustCompile(`\[\d+\]`)

// TestEveryRuleHasARow: for each rule in the definitions, a row of the tables violates it.
func TestEveryRuleHasARow(t *testing.T) {
	sentences := map[string][]string{
		"machineremediations":         wanted("spec.steps", recordRows, changesOfFull, changesOfLeast, stepRows, stepsRows),
		"machineremediationtemplates": wanted("spec.template.spec.steps", planRows, stepRows, stepsRows),
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
		if count < 15 {
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
	for _, rule := range is.XValidations {
		all = append(all, demand(path+rule.FieldPath, "%s", rule.Message))
	}
	if len(is.Enum) > 0 {
		all = append(all, demand(path, "Unsupported value"))
	}
	if is.Pattern != "" {
		all = append(all, demand(path, "should match '%s'", is.Pattern))
	}
	if is.XListType != nil && *is.XListType != "atomic" {
		all = append(all, demand(path+"[0]", "Duplicate value"))
	}
	return all
}

// demand returns a pattern for an error about a path.
func demand(path, format string, args ...any) *regexp.Regexp {
	return regexp.MustCompile("^" + regexp.QuoteMeta(path) + ": .*" + regexp.QuoteMeta(fmt.Sprintf(format, args...)))
}

// TestLimits: the golden file has the limits that the API server itself checks. Behind it are the markers, and no rule of ours.
func TestLimits(t *testing.T) {
	var limits strings.Builder
	for _, resource := range []string{"machineremediations", "machineremediationtemplates", "rebootremediations", "rebootremediationtemplates"} {
		schema := definition(t, resource).Spec.Versions[0].Schema.OpenAPIV3Schema
		delete(schema.Properties["status"].Properties, "conditions")
		walk(resource, *schema, func(path string, is apiextensionsv1.JSONSchemaProps) {
			if all := limitsOf(is); len(all) > 0 {
				fmt.Fprintln(&limits, path+": "+strings.Join(all, ", "))
			}
		})
	}
	docs.Golden(t, "limits", limits.String())
}

func limitsOf(is apiextensionsv1.JSONSchemaProps) []string {
	var all []string
	if len(is.Required) > 0 {
		all = append(all, "requires "+strings.Join(slices.Sorted(slices.Values(is.Required)), " and "))
	}
	for what, limit := range map[string]*int64{"minLength": is.MinLength, "maxLength": is.MaxLength, "minItems": is.MinItems, "maxItems": is.MaxItems} {
		if limit != nil {
			all = append(all, fmt.Sprintf("%s %d", what, *limit))
		}
	}
	for what, limit := range map[string]*float64{"minimum": is.Minimum, "maximum": is.Maximum} {
		if limit != nil {
			all = append(all, fmt.Sprintf("%s %.0f", what, *limit))
		}
	}
	slices.Sort(all)
	return all
}
