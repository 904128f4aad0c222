package rules

import (
	"fmt"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// CostLimit is the maximum cost of one evaluation of a rule, in units of CEL: reading a field, calling a function, or reading ten
// characters costs about one.
const CostLimit = 100_000

// Rules are the compiled rules of one plan. They are safe for concurrent use.
type Rules struct {
	rules []rule
}

type rule struct {
	name, startAt string
	program       cel.Program
	ast           *cel.Ast
}

// Compile compiles the rules of a plan. The error describes the first invalid rule in one sentence, with its name, line and column.
func Compile(plan *v1alpha1.RemediationPlan) (*Rules, error) {
	compiled := &Rules{}
	if len(plan.Rules) == 0 {
		return compiled, nil
	}
	in, err := language()
	if err != nil {
		return nil, fmt.Errorf("setting up the language of rules: %w", err)
	}
	for i := range plan.Rules {
		one, err := compile(in, plan, &plan.Rules[i])
		if err != nil {
			return nil, fmt.Errorf("rule %s cannot be used: %w", plan.Rules[i].Name, err)
		}
		compiled.rules = append(compiled.rules, one)
	}
	return compiled, nil
}

func compile(in *cel.Env, plan *v1alpha1.RemediationPlan, from *v1alpha1.RemediationRule) (rule, error) {
	if !hasStep(plan, from.StartAt) {
		return rule{}, fmt.Errorf("the plan has no step %q to start at", from.StartAt)
	}
	checked, err := check(in, from.Expression)
	if err != nil {
		return rule{}, err
	}
	cost, err := in.EstimateCost(checked, ordinary{})
	if err != nil {
		return rule{}, fmt.Errorf("estimating its cost: %w", err)
	}
	if cost.Max > CostLimit {
		return rule{}, fmt.Errorf("it may cost more than %d even if all lists and texts are short", CostLimit)
	}
	program, err := in.Program(checked, cel.EvalOptions(cel.OptOptimize), cel.CostLimit(CostLimit))
	if err != nil {
		return rule{}, problemAt(nil, err.Error())
	}
	return rule{name: from.Name, startAt: from.StartAt, program: program, ast: checked}, nil
}

// maxMacros is the maximum number of macros in a rule: checking the types of many in a row takes long.
const maxMacros = 16

// check parses an expression and checks its types.
func check(in *cel.Env, expression string) (*cel.Ast, error) {
	parsed, issues := in.Parse(expression)
	if issues.Err() != nil {
		return nil, firstOf(issues)
	}
	if macros := countMacros(parsed); macros > maxMacros {
		return nil, fmt.Errorf("it has %d macros, and may have %d", macros, maxMacros)
	}
	checked, issues := in.Check(parsed)
	if issues.Err() != nil {
		return nil, firstOf(issues)
	}
	if t := checked.OutputType(); !t.IsExactType(cel.BoolType) {
		return nil, fmt.Errorf("it gives %s, and must give bool", t)
	}
	return checked, nil
}

func firstOf(issues *cel.Issues) error {
	first := issues.Errors()[0]
	return problemAt(first.Location, first.Message)
}

func countMacros(parsed *cel.Ast) (n int) {
	ast.PreOrderVisit(parsed.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.ComprehensionKind {
			n++
		}
	}))
	return n
}

func hasStep(plan *v1alpha1.RemediationPlan, name string) bool {
	return slices.ContainsFunc(plan.Steps, func(s v1alpha1.RemediationStep) bool { return s.Name == name })
}

// ordinary estimates what a rule costs if lists and texts have ten items each. A rule too expensive even for that is a mistake.
type ordinary struct{}

// EstimateSize implements checker.CostEstimator.
func (ordinary) EstimateSize(checker.AstNode) *checker.SizeEstimate {
	return &checker.SizeEstimate{Max: 10}
}

// EstimateCallCost implements checker.CostEstimator.
func (ordinary) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}
