package rules

import (
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
)

// Labels returns the labels of the machine that the rules name, in order.
func (r *Rules) Labels() (keys []string) {
	for i := range r.rules {
		ast.PreOrderVisit(r.rules[i].ast.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
			if key := labelIn(e); key != "" {
				keys = append(keys, key)
			}
		}))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// labelIn returns the label that one node of an expression names: as a field, as an index, or with the operator in; empty if it names none.
func labelIn(e ast.Expr) string {
	if e.Kind() == ast.SelectKind && isLabels(e.AsSelect().Operand()) {
		return e.AsSelect().FieldName()
	}
	if e.Kind() != ast.CallKind || len(e.AsCall().Args()) != 2 {
		return ""
	}
	args := e.AsCall().Args()
	if isLabels(args[0]) {
		return text(args[1])
	}
	if isLabels(args[1]) {
		return text(args[0])
	}
	return ""
}

// isLabels reports whether an expression is machine.labels.
func isLabels(e ast.Expr) bool {
	if e.Kind() != ast.SelectKind || e.AsSelect().FieldName() != "labels" {
		return false
	}
	of := e.AsSelect().Operand()
	return of.Kind() == ast.IdentKind && of.AsIdent() == "machine"
}

// text returns the text that an expression is; empty if it has to be computed.
func text(e ast.Expr) string {
	if e.Kind() != ast.LiteralKind {
		return ""
	}
	literal, _ := e.AsLiteral().(types.String)
	return string(literal)
}
