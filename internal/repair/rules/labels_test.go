package rules_test

import (
	"slices"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/repair/rules"
)

// TestLabels: labels are found however an expression names them. What is computed is not known, and annotations are no labels.
func TestLabels(t *testing.T) {
	for expression, want := range map[string][]string{
		"machine.labels['example.com/pool'] == 'gpu'":            {"example.com/pool"},
		"machine.labels.pool == 'gpu'":                           {"pool"},
		"has(machine.labels.pool)":                               {"pool"},
		"!('pool' in machine.labels)":                            {"pool"},
		"machine.labels[?'pool'].orValue('') == 'gpu'":           {"pool"},
		"machine.labels.?pool.hasValue()":                        {"pool"},
		"'b' in machine.labels || 'a' in machine.labels && true": {"a", "b"},
		"'a' in machine.labels && has(machine.labels.a)":         {"a"},
		"findings.exists(f, f.type in machine.labels)":           nil,
		"machine.labels[machine.name] == 'a'":                    nil,
		"machine.labels.exists(key, key == 'a')":                 nil,
		"'a' in machine.annotations":                             nil,
		"machine.controlPlane":                                   nil,
	} {
		compiled, err := rules.Compile(plan(rule("one", expression, "wait")))
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		if got := compiled.Labels(); !slices.Equal(got, want) {
			t.Errorf("%s names %q, want %q", expression, got, want)
		}
	}
}
