package rules

import (
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// plain refuses expressions that can grow for free: CEL shares a value that is in a list twice, but compares and counts it each
// time. A few doublings in a row would keep a controller busy for ever, long before CostLimit stops it.
type plain struct{}

// Name implements cel.ASTValidator.
func (plain) Name() string { return "sickbay.plain" }

// Validate implements cel.ASTValidator.
func (plain) Validate(_ *cel.Env, _ cel.ValidatorConfig, checked *ast.AST, issues *cel.Issues) {
	ast.PreOrderVisit(checked.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if problem := refused(checked, e); problem != "" {
			issues.ReportErrorAtID(e.ID(), "%s", problem)
		}
	}))
}

// refused says what is wrong with one node of an expression; empty if nothing is.
func refused(checked *ast.AST, e ast.Expr) string {
	t := checked.GetType(e.ID())
	switch {
	case e.Kind() == ast.StructKind:
		return "a rule cannot build messages"
	case addsLists(t, e):
		return "a rule cannot add lists"
	case depth(t) > 1:
		return "a rule cannot have lists or maps in lists or maps"
	case mixed(t) && e.Kind() != ast.LiteralKind && !empty(e):
		return "a rule cannot mix types"
	}
	return ""
}

// mixed reports whether a value of type t can contain values of any type, and so lists in lists.
func mixed(t *types.Type) bool {
	return t.Kind() == types.DynKind || slices.ContainsFunc(t.Parameters(), mixed)
}

// empty reports whether an expression is [] or {}, whose element type is unknown.
func empty(e ast.Expr) bool {
	return (e.Kind() == ast.ListKind && e.AsList().Size() == 0) || (e.Kind() == ast.MapKind && e.AsMap().Size() == 0)
}

// addsLists reports whether a call adds two lists, except for the list in which a macro collects its result.
func addsLists(t *types.Type, e ast.Expr) bool {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operators.Add || t.Kind() != types.ListKind {
		return false
	}
	to := e.AsCall().Args()[0]
	return to.Kind() != ast.IdentKind || to.AsIdent() != accumulator
}

// accumulator is the variable of macros, which no expression can name.
const accumulator = "@result"

// depth returns how deeply lists and maps are nested.
func depth(t *types.Type) int {
	inner := 0
	for _, parameter := range t.Parameters() {
		inner = max(inner, depth(parameter))
	}
	if t.Kind() == types.ListKind || t.Kind() == types.MapKind {
		return inner + 1
	}
	return inner
}
