package ladder

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

const apiPackage = "../../../api/v1alpha1/"

// covered are the values that the rows show, by what they are of.
type covered map[string]map[string]bool

func (c covered) add(of, value string) {
	if c[of] == nil {
		c[of] = map[string]bool{}
	}
	c[of][value] = true
}

func coverage() covered {
	c := covered{}
	for _, r := range allRows() {
		d := Decide(r.facts, noon)
		c.add("rule", d.Rule)
		c.add("act", string(d.Act))
		c.add("phase", string(d.Status.Phase))
		c.add("phase before", string(r.facts.Record.Status.Phase))
		c.add("health", string(r.facts.Machine.Health))
		c.add("mark", string(r.facts.Machine.Mark.State))
		for _, conditionType := range []string{v1alpha1.ConditionProgressing, v1alpha1.ConditionSucceeded} {
			if condition := meta.FindStatusCondition(d.Status.Conditions, conditionType); condition != nil && d.Store {
				c.add("reason", condition.Reason)
			}
		}
		if decision := r.facts.Record.Spec.Decision; decision != nil {
			c.add("answer", string(decision.Answer))
		}
		if last := Last(&d.Status); last != nil {
			c.add("result", string(last.Result))
		}
		for _, step := range r.facts.Record.Spec.Steps {
			c.add("action", string(step.Action))
		}
	}
	return c
}

// TestEverythingHasARow: each rule, act, phase, reason, result and so on is shown by some row.
func TestEverythingHasARow(t *testing.T) {
	shown := coverage()
	for _, rule := range rules {
		if !shown["rule"][rule.name] {
			t.Errorf("no row is decided by the rule %q", rule.name)
		}
	}
	for of, values := range map[string][]string{
		"act":          constants(t, "decide.go", "Act", ""),
		"health":       constants(t, "facts.go", "Health", ""),
		"mark":         constants(t, "facts.go", "MarkState", ""),
		"phase":        constants(t, apiPackage+"remediationstatus.go", "RemediationPhase", ""),
		"phase before": constants(t, apiPackage+"remediationstatus.go", "RemediationPhase", ""),
		"result":       constants(t, apiPackage+"remediationstatus.go", "AttemptResult", ""),
		"answer":       constants(t, apiPackage+"remediationdecision.go", "Answer", ""),
		"action":       constants(t, apiPackage+"remediationstep.go", "Action", ""),
		"reason":       append(constants(t, apiPackage+"remediationconditions.go", "", "Reason"), v1alpha1.ReasonRecovered),
	} {
		if len(values) < 3 {
			t.Errorf("only %q are known of %s", values, of)
		}
		for _, value := range values {
			if !shown[of][value] {
				t.Errorf("no row shows %s %q", of, value)
			}
		}
	}
}

// constants are the values of the constants of a Go file that have a type, or names that begin with a prefix.
func constants(t *testing.T, file, typeName, prefix string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		name, _ := spec.Type.(*ast.Ident)
		literal, _ := spec.Values[0].(*ast.BasicLit)
		if literal == nil || (name != nil) != (typeName != "") || (name != nil && name.Name != typeName) || !strings.HasPrefix(spec.Names[0].Name, prefix) {
			return true
		}
		if value, err := strconv.Unquote(literal.Value); err == nil && !slices.Contains(values, value) {
			values = append(values, value)
		}
		return true
	})
	return values
}
