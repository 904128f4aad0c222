package v1alpha1_test

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestReference . -update

const referenceFile = "../../docs/reference.md"

// TestReferenceSpec renders the settings of a power cycle, with the API server's limits and defaults.
func TestReferenceSpec(t *testing.T) {
	spec := schema(t).Properties["spec"]
	table := [][]string{{"field", "default", "values", "meaning"}}
	for _, field := range fieldsOf(reflect.TypeFor[v1alpha1.RebootRemediationSpec]()) {
		is := spec.Properties[field]
		fallback := ""
		if is.Default != nil {
			fallback = docs.Code(strings.Trim(string(is.Default.Raw), `"`))
		}
		table = append(table, []string{docs.Code(field), fallback, valuesOf(is), described(field, is)})
	}
	docs.Section(t, referenceFile, "reboot spec", docs.Table(table...))
}

// schema returns the schema of a RebootRemediation.
func schema(t *testing.T) *apiextensionsv1.JSONSchemaProps {
	t.Helper()
	data, err := os.ReadFile("../../config/crd/sickbay.dev_rebootremediations.yaml")
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(data, crd); err != nil {
		t.Fatal(err)
	}
	return crd.Spec.Versions[0].Schema.OpenAPIV3Schema
}

// fieldsOf returns the fields of a struct by JSON name, including those of embedded structs.
func fieldsOf(of reflect.Type) []string {
	var fields []string
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous {
			fields = append(fields, fieldsOf(field.Type)...)
			continue
		}
		fields = append(fields, name)
	}
	return fields
}

func valuesOf(is apiextensionsv1.JSONSchemaProps) string {
	if is.Minimum != nil && is.Maximum != nil {
		return fmt.Sprintf("%v to %v", *is.Minimum, *is.Maximum)
	}
	var values []string
	for _, value := range is.Enum {
		values = append(values, docs.Code(strings.Trim(string(value.Raw), `"`)))
	}
	for _, field := range []string{"apiGroup", "kind", "name", "uid", "operationID"} {
		if inner, ok := is.Properties[field]; ok {
			values = append(values, strings.TrimSpace(docs.Code(field)+" "+valuesOf(inner)))
		}
	}
	return strings.Join(values, ", ")
}

// stated matches the part of a description that other columns repeat.
var stated = regexp.MustCompile(` Default: \w+\.$`)

// described makes a sentence of a field's description, without the field's name unless the name is part of a phrase.
func described(field string, is apiextensionsv1.JSONSchemaProps) string {
	text := stated.ReplaceAllString(strings.Join(strings.Fields(is.Description), " "), "")
	for _, beginning := range []string{" is ", " are ", ": ", " of ", " to ", " "} {
		rest, found := strings.CutPrefix(text, field+beginning)
		if found && beginning != " of " && beginning != " to " {
			text = rest
		}
		if found {
			break
		}
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
