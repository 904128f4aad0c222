package convert

import (
	"fmt"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/manifest"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// refusal makes the API server validate all health checks, plans and Clusters of a stream, and returns why it rejects one; empty if it
// rejects none.
func refusal(t testing.TB, c client.Client, namespace, stream string) string {
	t.Helper()
	documents, problems := manifest.Parse("converted", []byte(stream))
	if len(problems) > 0 {
		return problems[0].Error()
	}
	strict := client.NewDryRunClient(client.WithFieldValidation(c, metav1.FieldValidationStrict))
	for _, document := range documents {
		for _, one := range document.Objects {
			if kind := one.Kind(); kind.Kind != "MachineHealthCheck" && kind.Kind != planKind && (kind.Kind != "Cluster" || kind.Version != "v1beta2") {
				continue
			}
			obj := &unstructured.Unstructured{Object: one.Value}
			obj.SetNamespace(namespace)
			if err := strict.Create(t.Context(), obj); err != nil {
				return fmt.Sprintf("line %d: %v", one.Node.Line, err)
			}
		}
	}
	return ""
}

// TestAPIServerTakesWhatIsConverted: this includes the manifest of the project's first contract, and all golden files.
func TestAPIServerTakesWhatIsConverted(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	for file, text := range docs.Texts(t, "testdata/*.yaml") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			converted, _ := stream(t, file, []byte(text), options)
			if why := refusal(t, e.Client, ns, converted); why != "" {
				t.Errorf("%s\n%s", why, converted)
			}
		})
	}
}

// TestAPIServerTakesWhateverIsConverted is the same for random health checks, each of which is valid in its own API.
func TestAPIServerTakesWhateverIsConverted(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	rapid.Check(t, func(rt *rapid.T) {
		drawn := draw(rt)
		converted, _ := stream(t, "drawn.yaml", []byte(drawn), options)
		if why := refusal(t, e.Client, ns, converted); why != "" {
			rt.Fatalf("%s\n%s\nof\n%s", why, converted, drawn)
		}
	})
}
