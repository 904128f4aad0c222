package v1alpha1_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// TestReferencePlans renders the fields of a MachineRemediationTemplate, with its steps in a table of their own.
func TestReferencePlans(t *testing.T) {
	spec := definition(t, "machineremediationtemplates").Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["template"].Properties["spec"]
	docs.Section(t, referenceFile, "plan spec", settings(fields("", spec, reflect.TypeFor[v1alpha1.RemediationPlan]())))
	docs.Section(t, referenceFile, "remediation step", settings(fields("", *spec.Properties["steps"].Items.Schema, reflect.TypeFor[v1alpha1.RemediationStep]())))
}

// field is a field of a kind, with its path.
type field struct {
	name string
	is   apiextensionsv1.JSONSchemaProps
}

func (f field) last() string {
	return strings.TrimSuffix(f.name[strings.LastIndex(f.name, ".")+1:], "[]")
}

// fields returns the fields of a struct, including nested ones, in their order. Steps have a table of their own.
func fields(prefix string, parent apiextensionsv1.JSONSchemaProps, of reflect.Type) []field {
	var all []field
	for member := range of.Fields() {
		name, _, _ := strings.Cut(member.Tag.Get("json"), ",")
		is, inner, place := parent.Properties[name], member.Type, prefix+name
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		deeper := is
		if inner.Kind() == reflect.Slice {
			inner, place, deeper = inner.Elem(), place+"[]", *is.Items.Schema
		}
		all = append(all, field{place, is})
		if inner.Kind() == reflect.Struct && inner.PkgPath() == of.PkgPath() && name != "steps" {
			all = append(all, fields(place+".", deeper, inner)...)
		}
	}
	return all
}

// settings returns a table of the fields that a user sets.
func settings(all []field) string {
	table := [][]string{{"field", "default", "values", "meaning"}}
	for _, field := range all {
		fallback := ""
		if field.is.Default != nil {
			fallback = docs.Code(strings.Trim(string(field.is.Default.Raw), `"`))
		}
		table = append(table, []string{docs.Code(field.name), fallback, limits(field.is), described(field.last(), field.is)})
	}
	return docs.Table(table...)
}

// limits returns the limits that the definition sets for a field's values. The field's description has its patterns and rules.
func limits(is apiextensionsv1.JSONSchemaProps) string {
	switch {
	case is.Items != nil && len(is.Items.Schema.Enum) > 0:
		return valuesOf(*is.Items.Schema)
	case is.MinItems != nil && is.MaxItems != nil:
		return fmt.Sprintf("%d to %d of them", *is.MinItems, *is.MaxItems)
	case is.MaxItems != nil:
		return fmt.Sprintf("up to %d of them", *is.MaxItems)
	case is.MaxLength != nil && len(is.Enum) == 0: // the API server names it when it refuses a longer text
		return ""
	case is.Minimum != nil && is.Maximum != nil:
		return fmt.Sprintf("%d to %d", int64(*is.Minimum), int64(*is.Maximum))
	case is.Minimum != nil:
		return fmt.Sprintf("at least %d", int64(*is.Minimum))
	case len(is.Properties) > 0:
		return ""
	}
	return valuesOf(is)
}
