package lint

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// TestSchemas: the schemas match the definitions in the modules, without descriptions and without the status.
func TestSchemas(t *testing.T) {
	for _, one := range []struct{ module, file string }{
		{"sigs.k8s.io/cluster-api", "core/config/crd/bases/cluster.x-k8s.io_machinehealthchecks.yaml"},
		{"github.com/openshift/api", "machine/v1beta1/zz_generated.crd-manifests/0000_10_machine-api_01_machinehealthchecks.crd.yaml"},
	} {
		definition := readDefinition(t, one.module, one.file)
		for _, version := range definition.Spec.Versions {
			if !strings.HasPrefix(version.Name, "v1beta") {
				continue
			}
			schema := version.Schema.OpenAPIV3Schema
			shorten(schema)
			schema["properties"].(map[string]any)["status"] = map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
			data, err := yaml.Marshal(schema)
			if err != nil {
				t.Fatal(err)
			}
			name := definition.Spec.Group + "_" + version.Name + "_" + definition.Spec.Names.Kind + ".yaml"
			docs.File(t, filepath.Join("schemas", name), "# Generated from "+one.module+". To renew it: make generate.\n"+string(data))
		}
	}
}

// definition is the needed part of a CustomResourceDefinition. The real type would add defaults.
type definition struct {
	Spec struct {
		Group    string
		Names    struct{ Kind string }
		Versions []struct {
			Name   string
			Schema struct {
				OpenAPIV3Schema map[string]any `json:"openAPIV3Schema"`
			}
		}
	}
}

func readDefinition(t *testing.T, module, file string) (d definition) {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), file))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// shorten removes the descriptions from a schema. A property may be named description.
func shorten(schema map[string]any) {
	if _, text := schema["description"].(string); text {
		delete(schema, "description")
	}
	for _, value := range schema {
		switch value := value.(type) {
		case map[string]any:
			shorten(value)
		case []any:
			for _, item := range value {
				if fields, ok := item.(map[string]any); ok {
					shorten(fields)
				}
			}
		}
	}
}
