package cel_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks/cel"
)

// TestTrueIsEarned compares verdicts with what the documentation says, for objects with any
// content in the fields of the rule. Above all, the result is True only if current is, on
// an object that is not outdated.
func TestTrueIsEarned(t *testing.T) {
	absent := "absent"
	field := rapid.SampledFrom([]any{true, true, false, false, absent, "true", int64(1), 1.0, nil, m{"x": true}, []any{true}})
	generation := rapid.SampledFrom([]any{int64(1), int64(2), int64(2), 2.0, "2", absent, nil})
	rapid.Check(t, func(t *rapid.T) {
		rule := cel.Rule{Current: "status.current", Message: "status.message", Codes: "status.codes"}
		if rapid.Bool().Draw(t, "has inProgress") {
			rule.InProgress = "status.inProgress"
		}
		if rapid.Bool().Draw(t, "has failed") {
			rule.Failed = "status.failed"
		}
		status, metadata := m{}, m{}
		put := func(into m, name string, value any) {
			if value != absent {
				into[name] = value
			}
		}
		for _, name := range []string{"current", "inProgress", "failed", "message", "codes"} {
			put(status, name, field.Draw(t, name))
		}
		put(metadata, "generation", generation.Draw(t, "generation"))
		put(status, "observedGeneration", generation.Draw(t, "observedGeneration"))
		object := m{"metadata": metadata}
		if rapid.IntRange(0, 9).Draw(t, "has status") > 0 {
			object["status"] = status
		}
		program, err := cel.Compile(rule)
		if err != nil {
			t.Fatal(err)
		}
		got, err := program.Evaluate(t.Context(), &unstructured.Unstructured{Object: object})
		want := expected(rule, object)
		if want == healthcheck.Unknown && err == nil || want != healthcheck.Unknown && (err != nil || got.Status != want) {
			t.Fatalf("got %+v, %v, want %s", got, err, want)
		}
		if got.Status == healthcheck.Progressing && got.Within <= 0 {
			t.Fatalf("there is no end to it: %+v", got)
		}
		if strings.Contains(got.Message, "\n") {
			t.Fatalf("more than one line: %q", got.Message)
		}
	})
}

// expected returns the verdict by the documentation; Unknown means an error.
func expected(rule cel.Rule, object m) healthcheck.Status {
	status, given := object["status"].(m)
	if isNumber(object["metadata"].(m)["generation"]) && isNumber(status["observedGeneration"]) {
		if (object["metadata"].(m)["generation"] == int64(1)) != (status["observedGeneration"] == int64(1)) {
			return healthcheck.Progressing
		}
	}
	if !given {
		return healthcheck.Unknown
	}
	for _, question := range []struct {
		text, field string
		status      healthcheck.Status
	}{
		{rule.InProgress, "inProgress", healthcheck.Progressing},
		{rule.Failed, "failed", healthcheck.False},
		{rule.Current, "current", healthcheck.True},
	} {
		if question.text == "" {
			continue
		}
		switch status[question.field] {
		case true:
			return question.status
		case false:
		default:
			return healthcheck.Unknown
		}
	}
	return healthcheck.Progressing
}

func isNumber(value any) bool {
	switch value.(type) {
	case int64, float64:
		return true
	}
	return false
}

// TestCompileAnything: Compile never panics, and returns one line for each wrong
// expression, with the position. What compiles can be evaluated, with or without an error.
func TestCompileAnything(t *testing.T) {
	word := rapid.SampledFrom([]string{
		"status", "spec", "metadata", "kind", "stats", ".", ".?", "[", "]", "(", ")", "{", "}", "'", "\"", "'a'", "1", "1.5", "true", "null", "has(", ".all(x,", "x", ",",
		"==", "&&", "||", "!", "?", ":", "+", "-", "in", ".split(", ".format(", "optional.of(", "\n", " ", "é", "\\", "r'", "//", "[1,2]", ".map(x,x)", "size(",
	})
	object := &unstructured.Unstructured{Object: m{"kind": "Pod", "metadata": m{}, "status": m{"list": []any{"a"}}}}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(word, 0, 8).Draw(t, "words"), "")
		program, err := cel.Compile(cel.Rule{Current: text})
		if err == nil {
			_, err = program.Evaluate(t.Context(), object)
		}
		if err != nil && (strings.ContainsAny(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "current: ")) {
			t.Fatalf("%q: %q", text, err)
		}
	})
}
