package lint

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/manifest"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// served returns documents of the kinds that the test's API server has.
func served(t *testing.T) (texts []string) {
	t.Helper()
	for file, text := range docs.Texts(t, "testdata/*.yaml", "../../examples/*.yaml", "../../examples/plans/*.yaml") {
		documents, _ := manifest.Parse(file, []byte(text))
		for _, document := range documents {
			for _, obj := range document.Objects {
				if v := obj.Kind().GroupVersion(); v == clusterv1.GroupVersion && obj.Kind().Kind != "Cluster" || v == v1alpha1.GroupVersion {
					texts = append(texts, document.Text)
				}
			}
		}
	}
	return texts
}

// TestAPIServerAgrees: lint rejects what the real API server rejects. Of Clusters, it only knows the topology. The test changes a line or two of each document at
// random.
func TestAPIServerAgrees(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	strict := client.NewDryRunClient(client.WithFieldValidation(e.Client, metav1.FieldValidationStrict))
	texts := served(t)
	rapid.Check(t, func(rt *rapid.T) {
		text := change(rt, rapid.SampledFrom(texts).Draw(rt, "document"))
		documents, bad := manifest.Parse("changed.yaml", []byte(text))
		if len(bad) > 0 || len(documents) != 1 || len(documents[0].Objects) != 1 {
			rt.Skip("it is no document any more")
		}
		one := documents[0].Objects[0]
		if known, _ := known(one.Kind()); !known || one.Kind().Kind == "Cluster" || len(manifest.Duplicates(one.Node)) > 0 {
			rt.Skip("it is of no kind any more")
		}
		obj := &unstructured.Unstructured{Object: one.Value}
		obj = obj.DeepCopy()
		refusal := "metadata is no map"
		if _, ok := obj.Object["metadata"].(map[string]any); ok {
			obj.SetNamespace(ns)
			refusal = ""
			if err := strict.Create(t.Context(), obj); err != nil {
				refusal = err.Error()
			}
		}
		found := lint(t, "changed.yaml", []byte(text), nil).Findings
		errors := slices.ContainsFunc(found, func(f Finding) bool { return f.Level == Error })
		if refusal != "" && !errors {
			rt.Fatalf("lint finds nothing wrong: %s\n%s", refusal, text)
		}
		v, err := compiled{}.get(one.Kind())
		if err != nil {
			rt.Fatal(err)
		}
		if problems := v.refuses(one.Value); refusal == "" && len(problems) > 0 {
			rt.Fatalf("the API server takes it, and lint says %v\n%s", problems, text)
		}
	})
}

// change removes lines, duplicates them, or changes their values.
func change(t *rapid.T, text string) string {
	lines := strings.Split(text, "\n")
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
		field, _, ok := strings.Cut(lines[i], ": ")
		switch {
		case ok && rapid.Bool().Draw(t, "value"):
			lines[i] = field + ": " + rapid.SampledFrom([]string{"0", "-1", "5m", `"50%"`, "true", "null", "{}", "[]", `""`, "Ready", "A b", `"[1-2]"`, "2147483648"}).Draw(t, "to")
		case ok && rapid.Bool().Draw(t, "name"):
			lines[i] = strings.Replace(lines[i], field, field+"s", 1)
		default:
			lines = slices.Delete(lines, i, i+1)
		}
		if len(lines) == 0 {
			return ""
		}
	}
	return strings.Join(lines, "\n")
}
