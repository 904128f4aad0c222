package cel_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sickbay-dev/sickbay/healthcheck/checks/cel"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/sentence"
)

// FuzzExpression: each expression is refused, or evaluated within its limits.
func FuzzExpression(f *testing.F) {
	for _, text := range []string{"", "true", "status.ready", "status.conditions.exists(c, c.type == 'Ready')", "1/0 > 1", "'a'.matches('(a+)+$')", "dyn(1) == 'x'", "has(status.a.b)", "\x00", "[1,2,3].all(x, x > 0)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		p, err := cel.Compile(cel.Rule{Current: text, Fields: []string{"status"}})
		if err != nil {
			return
		}
		object := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"ready": true, "conditions": []any{map[string]any{"type": "Ready"}}}}}
		if result, err := p.Evaluate(t.Context(), object); err == nil && result.Message != "" {
			sentence.Clear(t, result.Message, text, text)
		}
	})
}
