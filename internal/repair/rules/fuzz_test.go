package rules

import (
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/sentence"
)

// FuzzRule: an expression is refused with a clear sentence, or is evaluated within its bounds.
func FuzzRule(f *testing.F) {
	for _, text := range []string{
		"", "true", "1", "machine.name == 'a'", "findings.exists(f, f.type == 'Ready')", "attempts.size() > 1", "'a' + 'b' == 'ab'", "[1,2].map(x, x)", "machine.labels['a']", "x", "1/0 == 1",
		"'a'.matches('(a+)+$')", "((((((((((true))))))))))", "\x00", "has(machine.name)", "[[1]].exists(x, x.exists(y, y == 1))", "now", "duration('1h') > duration('x')",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return // the API takes no longer one
		}
		plan := &v1alpha1.RemediationPlan{
			Steps: []v1alpha1.RemediationStep{{Name: "replace", Action: v1alpha1.ActionReplace}},
			Rules: []v1alpha1.RemediationRule{{Name: "r", Expression: text, StartAt: "replace"}},
		}
		compiled, err := Compile(plan)
		if err == nil {
			_, _, err = compiled.StartAt(Input{})
		}
		if err != nil && !strings.ContainsAny(text, "\n\r") {
			sentence.Clear(t, err.Error(), text, text)
		}
	})
}
