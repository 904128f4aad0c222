package rules_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/rules"
)

// plan has the steps wait, reboot, replace and hold, and rules of the form name: expression -> step.
func plan(all ...v1alpha1.RemediationRule) *v1alpha1.RemediationPlan {
	p := &v1alpha1.RemediationPlan{Rules: all}
	for _, name := range []string{"wait", "reboot", "replace", "hold"} {
		p.Steps = append(p.Steps, v1alpha1.RemediationStep{Name: name})
	}
	return p
}

func rule(name, expression, startAt string) v1alpha1.RemediationRule {
	return v1alpha1.RemediationRule{Name: name, Expression: expression, StartAt: startAt}
}

func TestCompileRefuses(t *testing.T) {
	nested := "a rule cannot have lists or maps in lists or maps"
	tests := map[string]struct{ expression, want string }{
		"nothing":                {" ", "1:2: Syntax error: mismatched input the end"},
		"half a sentence":        {"machine.controlPlane &&", "1:24: Syntax error: mismatched input the end"},
		"another variable":       {"node.name == 'a'", "1:1: undeclared reference to 'node'"},
		"on the second line":     {"true ||\n  nodes > 1", "2:3: undeclared reference to 'nodes'"},
		"a misspelt field":       {"findings.exists(f, f.typ == 'Ready')", "1:21: undefined field 'typ'"},
		"a field in capitals":    {"machine.Name == 'a'", "1:8: undefined field 'Name'"},
		"a field of the owner":   {"machine.owner.uid == ''", "1:14: undefined field 'uid'"},
		"text beside a bool":     {"machine.controlPlane == 'true'", "1:22: found no matching overload for '_==_' applied to '(bool, string)'"},
		"text":                   {"machine.name", "it gives string, and must give bool"},
		"a number":               {"size(findings)", "it gives int, and must give bool"},
		"an optional bool":       {"optional.of(true)", "it gives optional_type(bool), and must give bool"},
		"a pattern":              {"machine.name.matches('(')", "1:22: invalid matches argument"},
		"a function of Flux":     {"machine.name.lowerAscii() == 'a'", "1:24: undeclared reference to 'lowerAscii'"},
		"dyn":                    {"dyn(machine.name) == 1", "1:4: undeclared reference to 'dyn'"},
		"a list of lists":        {"[[1]].size() == 1", "1:1: " + nested},
		"a map of lists":         {"{'a': [1]}.size() == 1", "1:1: " + nested},
		"lists of what is there": {"[findings].size() == 1", "1:1: " + nested},
		"all doubled":            {"[1].map(a, [a, a]).size() == 1", "1:8: " + nested},
		"several types":          {"[1, 'a'].size() == 2", "1:1: a rule cannot mix types"},
		"lists added":            {"findings + findings == findings", "1:10: a rule cannot add lists"},
		"a message":              {"rules.Finding{type: 'a'}.type == 'a'", "1:14: a rule cannot build messages"},
		"a message of CEL":       {"google.protobuf.ListValue{values: []}.size() == 0", "1:26: a rule cannot build messages"},
		"nested deeply":          {strings.Repeat("optional.of(", 40) + "1" + strings.Repeat(")", 40) + ".hasValue()", "expression recursion limit exceeded: 32"},
		"many macros": {
			"findings" + strings.Repeat(".filter(f, true)", 17) + " == []",
			"it has 17 macros, and may have 16",
		},
		"macros in macros": {
			"findings.all(a, findings.all(b, findings.all(c, findings.all(d, findings.all(e, a.type + b.type + c.type + d.type == e.type)))))",
			"it may cost more than 100000 even if all lists and texts are short",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := rules.Compile(plan(rule("good", "true", "wait"), rule("gpu", tt.expression, "reboot")))
			if err == nil || got != nil {
				t.Fatalf("got %v, %v", got, err)
			}
			if diff := cmp.Diff("rule gpu cannot be used: "+tt.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestProblemsSaysAll: each problem once, where it occurs first. After a syntax error, the rest cannot be understood.
func TestProblemsSaysAll(t *testing.T) {
	for expression, want := range map[string][]string{
		"true":                 {`the plan has no step "reset" to start at`},
		"nodes > 1 || nod > 2": {`the plan has no step "reset" to start at`, "1:1: undeclared reference to 'nodes'", "1:14: undeclared reference to 'nod'"},
		"nodes > 1 || nodes < 2 && machine.nme == ''": {
			`the plan has no step "reset" to start at`, "1:1: undeclared reference to 'nodes'", "1:34: undefined field 'nme'",
		},
		"nodes > ) 1 || (": {`the plan has no step "reset" to start at`, "1:9: Syntax error: extraneous input ')'"},
		"machine.name":     {`the plan has no step "reset" to start at`, "it gives string, and must give bool"},
	} {
		one := rule("gpu", expression, "reset")
		problems, err := rules.Problems(plan(), &one)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, problem := range problems {
			got = append(got, strings.TrimPrefix(problem.Error(), "rule gpu cannot be used: "))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", expression, diff)
		}
	}
	one := rule("gpu", "true", "wait")
	if problems, err := rules.Problems(plan(), &one); len(problems) > 0 || err != nil {
		t.Errorf("a good rule has problems: %v, %v", problems, err)
	}
}

func TestCompileAccepts(t *testing.T) {
	for _, expression := range []string{
		"true",
		"findings.exists(f, f.source == 'Node' && f.type == 'Ready' && f.status == 'Unknown')",
		"findings.all(f, f.reason in ['A', 'B'])",
		"findings.filter(f, f.message.contains('XID')).size() > 1",
		"findings.map(f, f.type).exists_one(t, t.startsWith('Gpu'))",
		"findings.exists(f, f.message.matches('(?i)Recommended ?Action(=|: )RESTART_(VM|BM)'))",
		"findings == [] || machine.labels == {}",
		"machine.labels['pool'] == 'gpu'",
		"'pool' in machine.labels && has(machine.labels.pool)",
		"machine.labels[?'pool'].orValue('') == 'gpu' || machine.annotations.?a.hasValue()",
		"machine.controlPlane || machine.failureDomain == '' || has(machine.failureDomain)",
		"machine.owner.kind == 'MachineSet' && machine.owner.name.endsWith('-gpu')",
		"attempts.filter(a, a.step == 'reboot' && a.result == 'TimedOut').size() >= 2",
		"int(machine.annotations['cycles']) > 3 ? true : attempts.size() > 0",
		"timestamp(machine.annotations['since']) < timestamp('2026-01-01T00:00:00Z')",
		strings.Repeat("machine.name == 'a' || ", 150) + "true",
		strings.Repeat("(machine.controlPlane && ", 25) + "true" + strings.Repeat(")", 25),
	} {
		if _, err := rules.Compile(plan(rule("gpu", expression, "reboot"))); err != nil {
			t.Errorf("%s: %v", expression, err)
		}
	}
}

// TestDoublingEndsSoon: nothing is let in that doubles with each further step of a short expression, but for texts, whose
// cost is counted.
func TestDoublingEndsSoon(t *testing.T) {
	for name, step := range map[string]string{
		"lists":    ".map(x, [x, x])",
		"choices":  ".map(x, true ? [x, x] : x)",
		"maps":     ".map(x, {'a': x, 'b': x})",
		"optional": ".map(x, optional.of([x, x]))",
	} {
		for _, from := range []string{"[0]", "[[0]]", "[0, 'a', [1]]", "findings", "[machine.labels]"} {
			expression := from + strings.Repeat(step, 15) + ".map(x, x == x).size() == 1"
			if _, err := rules.Compile(plan(rule("r", expression, "wait"))); err == nil {
				t.Errorf("%s from %s is accepted", name, from)
			}
		}
	}
	texts := "['" + strings.Repeat("x", 200) + "']" + strings.Repeat(".map(x, x + x + x + x)", 15) + ".size() == 1"
	want := answer{Err: "rule r cannot be evaluated: it costs more than 100000 for this machine"}
	if diff := cmp.Diff(want, startAt(t, rules.Input{}, rule("r", texts, "wait"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
