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
		one, problems := compile(in, plan, &plan.Rules[i])
		if len(problems) > 0 {
			return nil, unusable(&plan.Rules[i], problems[0])
		}
		compiled.rules = append(compiled.rules, one)
	}
	return compiled, nil
}

// Problems returns everything that is wrong with one rule of a plan, each in one sentence.
func Problems(plan *v1alpha1.RemediationPlan, one *v1alpha1.RemediationRule) ([]error, error) {
	in, err := language()
	if err != nil {
		return nil, fmt.Errorf("setting up the language of rules: %w", err)
	}
	_, problems := compile(in, plan, one)
	for i, problem := range problems {
		problems[i] = unusable(one, problem)
	}
	return problems, nil
}

func unusable(one *v1alpha1.RemediationRule, problem error) error {
	return fmt.Errorf("rule %s cannot be used: %w", one.Name, problem)
}

func compile(in *cel.Env, plan *v1alpha1.RemediationPlan, from *v1alpha1.RemediationRule) (rule, []error) {
	var problems []error
	if !hasStep(plan, from.StartAt) {
		problems = append(problems, fmt.Errorf("the plan has no step %q to start at", from.StartAt))
	}
	checked, more := check(in, from.Expression)
	if problems = append(problems, more...); len(problems) > 0 {
		return rule{}, problems
	}
	cost, err := in.EstimateCost(checked, ordinary{})
	if err != nil {
		return rule{}, []error{fmt.Errorf("estimating its cost: %w", err)}
	}
	if cost.Max > CostLimit {
		return rule{}, []error{fmt.Errorf("it may cost more than %d even if all lists and texts are short", CostLimit)}
	}
	program, err := in.Program(checked, cel.EvalOptions(cel.OptOptimize), cel.CostLimit(CostLimit))
	if err != nil {
		return rule{}, []error{problemAt(nil, err.Error())}
	}
	return rule{name: from.Name, startAt: from.StartAt, program: program, ast: checked}, nil
}

// maxMacros is the maximum number of macros in a rule: checking the types of many in a row takes long.
const maxMacros = 16

// check parses an expression and checks its types.
func check(in *cel.Env, expression string) (*cel.Ast, []error) {
	parsed, issues := in.Parse(expression)
	if issues.Err() != nil {
		return nil, problemsOf(issues)[:1] // the parser has lost its way there, so what it says about the rest is of no use
	}
	if macros := countMacros(parsed); macros > maxMacros {
		return nil, []error{fmt.Errorf("it has %d macros, and may have %d", macros, maxMacros)}
	}
	checked, issues := in.Check(parsed)
	if issues.Err() != nil {
		return nil, problemsOf(issues)
	}
	if t := checked.OutputType(); !t.IsExactType(cel.BoolType) {
		return nil, []error{fmt.Errorf("it gives %s, and must give bool", t)}
	}
	return checked, nil
}

// problemsOf returns what is wrong, each problem at the first place where it occurs.
func problemsOf(issues *cel.Issues) (problems []error) {
	said := map[string]bool{}
	for _, one := range issues.Errors() {
		if !said[one.Message] {
			problems = append(problems, problemAt(one.Location, one.Message))
		}
		said[one.Message] = true
	}
	return problems
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
