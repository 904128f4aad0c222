package lint

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/config/crd"
)

// schemaFiles are the schemas of health checks that are not Sickbay's, named group_version_Kind. All but the schema of
// NodeHealthChecks come from the modules that Sickbay is built with, without descriptions.
//
//go:embed schemas/*.yaml
var schemaFiles embed.FS

// The cost limits of a schema's rules, each and together, as in an API server.
const (
	costOfRule   = 1_000_000
	costOfObject = 10_000_000
)

// validator validates objects of a kind like an API server.
type validator struct {
	structural *structuralschema.Structural
	schema     validation.SchemaValidator
	rules      *schemacel.Validator
}

// problem is something that an API server rejects.
type problem struct{ field, message string }

// schemas are the definitions by kind. They are compiled on first use.
var schemas = sync.OnceValues(readSchemas)

func readSchemas() (map[schema.GroupVersionKind]*apiextensionsv1.JSONSchemaProps, error) {
	all := map[schema.GroupVersionKind]*apiextensionsv1.JSONSchemaProps{}
	own, err := crd.YAML()
	if err != nil {
		return nil, err
	}
	decoder := utilyaml.NewYAMLToJSONDecoder(strings.NewReader(string(own)))
	for {
		var definition apiextensionsv1.CustomResourceDefinition
		if err := decoder.Decode(&definition); err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return nil, fmt.Errorf("reading Sickbay's definitions: %w", err)
		}
		for _, v := range definition.Spec.Versions {
			all[schema.GroupVersionKind{Group: definition.Spec.Group, Version: v.Name, Kind: definition.Spec.Names.Kind}] = v.Schema.OpenAPIV3Schema
		}
	}
	return all, readForeign(all)
}

func readForeign(all map[schema.GroupVersionKind]*apiextensionsv1.JSONSchemaProps) error {
	return fs.WalkDir(schemaFiles, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := schemaFiles.ReadFile(path)
		if err != nil {
			return err
		}
		props := &apiextensionsv1.JSONSchemaProps{}
		if err := yaml.Unmarshal(data, props); err != nil {
			return fmt.Errorf("reading the schema %s: %w", path, err)
		}
		parts := strings.Split(strings.TrimSuffix(entry.Name(), ".yaml"), "_")
		all[schema.GroupVersionKind{Group: parts[0], Version: parts[1], Kind: parts[2]}] = props
		return nil
	})
}

// known reports whether there is a schema for a kind.
func known(kind schema.GroupVersionKind) (bool, error) {
	all, err := schemas()
	return all[kind] != nil, err
}

// versions returns the known versions of a kind.
func versions(kind schema.GroupKind) (all []string) {
	known, _ := schemas()
	for gvk := range maps.Keys(known) {
		if gvk.GroupKind() == kind {
			all = append(all, gvk.Version)
		}
	}
	slices.Sort(all)
	return all
}

// compiled caches the validators that were used.
type compiled map[schema.GroupVersionKind]*validator

func (c compiled) get(kind schema.GroupVersionKind) (*validator, error) {
	if v := c[kind]; v != nil {
		return v, nil
	}
	all, err := schemas()
	if err != nil {
		return nil, err
	}
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(all[kind], internal, nil); err != nil {
		return nil, fmt.Errorf("converting the schema of %s: %w", kind, err)
	}
	v := &validator{}
	if v.structural, err = structuralschema.NewStructural(internal); err != nil {
		return nil, fmt.Errorf("reading the schema of %s: %w", kind, err)
	}
	if v.schema, _, err = validation.NewSchemaValidator(internal); err != nil {
		return nil, fmt.Errorf("compiling the schema of %s: %w", kind, err)
	}
	v.rules = schemacel.NewValidator(v.structural, true, costOfRule)
	c[kind] = v
	return v, nil
}

// refuses returns what an API server would reject in an object, in the API server's order.
func (v *validator) refuses(value map[string]any) (problems []problem) {
	object := runtime.DeepCopyJSON(value)
	options := structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	for _, path := range pruning.PruneWithOptions(object, v.structural, true, options) {
		problems = append(problems, problem{path, unknownField})
	}
	defaulting.PruneNonNullableNullsWithoutDefaults(object, v.structural)
	defaulting.Default(object, v.structural)
	for _, one := range v.invalid(object) {
		problems = append(problems, problem{one.Field, sentence(one)})
	}
	return problems
}

// invalid returns the violations of the schema and its rules. If a field is missing, it omits the errors of rules that need the
// field.
func (v *validator) invalid(object map[string]any) field.ErrorList {
	found := validation.ValidateCustomResource(nil, object, v.schema)
	if v.rules == nil || slices.ContainsFunc(found, func(err *field.Error) bool {
		return err.Type == field.ErrorTypeTypeInvalid || strings.Contains(err.Detail, "must be of type")
	}) {
		return found
	}
	broken, _ := v.rules.Validate(context.Background(), nil, v.structural, object, nil, costOfObject)
	for _, one := range broken {
		if len(found) == 0 || !strings.Contains(one.Detail, "no such key") {
			found = append(found, one)
		}
	}
	return found
}
