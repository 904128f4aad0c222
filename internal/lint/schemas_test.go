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

// TestSchemas: the schemas match the definitions in the modules, without descriptions and without the status. Those of ClusterClasses and
// Clusters have the health checks, and no more than the names of what is beside them.
func TestSchemas(t *testing.T) {
	class := tree{"controlPlane": checked, "workers": tree{"machineDeployments": checked}}
	for _, one := range []struct {
		module, file string
		only         tree
	}{
		{"sigs.k8s.io/cluster-api", "core/config/crd/bases/cluster.x-k8s.io_machinehealthchecks.yaml", nil},
		{"sigs.k8s.io/cluster-api", "core/config/crd/bases/cluster.x-k8s.io_clusterclasses.yaml", tree{"spec": class}},
		{"sigs.k8s.io/cluster-api", "core/config/crd/bases/cluster.x-k8s.io_clusters.yaml", tree{"spec": tree{"topology": class}}},
		{"github.com/openshift/api", "machine/v1beta1/zz_generated.crd-manifests/0000_10_machine-api_01_machinehealthchecks.crd.yaml", nil},
	} {
		definition := readDefinition(t, one.module, one.file)
		for _, version := range definition.Spec.Versions {
			if !strings.HasPrefix(version.Name, "v1beta") {
				continue
			}
			schema := version.Schema.OpenAPIV3Schema
			shorten(schema)
			if one.only != nil {
				narrow(schema, one.only)
			}
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

// tree are the fields of a schema that are kept; nil keeps all of a field.
type tree map[string]tree

var checked = tree{"healthCheck": nil, "machineHealthCheck": nil}

// narrow keeps the given fields of a schema, and only the names of the others.
func narrow(schema map[string]any, only tree) {
	if items, ok := schema["items"].(map[string]any); ok {
		delete(schema, "x-kubernetes-list-type")
		delete(schema, "x-kubernetes-list-map-keys")
		narrow(items, only)
		return
	}
	delete(schema, "x-kubernetes-validations")
	properties := schema["properties"].(map[string]any)
	for name, property := range properties {
		below, kept := only[name]
		switch {
		case kept && below != nil:
			narrow(property.(map[string]any), below)
		case !kept && name != "apiVersion" && name != "kind" && name != "metadata":
			properties[name] = map[string]any{"x-kubernetes-preserve-unknown-fields": true}
		}
	}
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
