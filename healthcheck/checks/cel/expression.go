package cel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
)

// checkFrequency is how many steps of a macro run between two checks of the context.
const checkFrequency = 100

// expression is one compiled expression of a rule.
type expression struct {
	field   string
	ast     *cel.Ast
	program cel.Program
}

// compile compiles an expression; nil if there is none.
func compile(env *cel.Env, field, text string, want *cel.Type) (*expression, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		first := issues.Errors()[0]
		return nil, errorAt(field, first.Location, first.Message)
	}
	e := &expression{field: field, ast: ast}
	if got := ast.OutputType(); !fits(got, want) {
		return nil, e.wrongType(got, want)
	}
	cost, err := env.EstimateCost(ast, ordinarySizes{})
	if err != nil {
		return nil, errorAt(field, nil, err.Error())
	}
	if cost.Max > costLimit {
		return nil, errorAt(field, nil, fmt.Sprintf("too expensive: it may cost more than %d even for an object whose lists have %d items", costLimit, ordinary))
	}
	e.program, err = env.Program(ast,
		cel.EvalOptions(cel.OptOptimize),
		cel.InterruptCheckFrequency(checkFrequency),
		cel.CostTracking(growth{}),
		cel.CostLimit(costLimit))
	if err != nil {
		return nil, errorAt(field, nil, err.Error())
	}
	return e, nil
}

// value evaluates the expression on an object.
func (e *expression) value(ctx context.Context, object map[string]any) (ref.Val, error) {
	// A short expression never checks the context itself.
	if ctx.Err() != nil {
		return nil, e.interrupted(ctx)
	}
	value, _, err := e.program.ContextEval(ctx, object)
	if err == nil {
		return value, nil
	}
	if errors.Is(err, interpreter.InterruptError{}) {
		return nil, e.interrupted(ctx)
	}
	if cancelled, ok := errors.AsType[interpreter.EvalCancelledError](err); ok && cancelled.Cause == interpreter.CostLimitExceeded {
		return nil, errorAt(e.field, nil, fmt.Sprintf("too expensive for this object: it costs more than %d", costLimit))
	}
	if located, ok := errors.AsType[*types.Err](err); ok {
		return nil, e.errorAt(located.NodeID(), located.Error())
	}
	return nil, errorAt(e.field, nil, err.Error())
}

func (e *expression) interrupted(ctx context.Context) error {
	return fmt.Errorf("%s: %w", e.field, context.Cause(ctx))
}

// as evaluates an expression that must return a value of one type.
func as[V ref.Val](ctx context.Context, e *expression, object map[string]any, want *cel.Type) (V, error) {
	var none V
	value, err := e.value(ctx, object)
	if err != nil {
		return none, err
	}
	if v, ok := value.(V); ok {
		return v, nil
	}
	return none, e.wrongType(cel.ObjectType(value.Type().TypeName()), want)
}

// strings evaluates an expression that must return a list of strings, and sorts them.
func (e *expression) strings(ctx context.Context, object map[string]any) ([]string, error) {
	list, err := as[traits.Lister](ctx, e, object, listOfStrings)
	if err != nil {
		return nil, err
	}
	var all []string
	for item := list.Iterator(); item.HasNext() == types.True; {
		value := item.Next()
		text, ok := value.(types.String)
		if !ok {
			return nil, e.wrongType(cel.ListType(cel.ObjectType(value.Type().TypeName())), listOfStrings)
		}
		all = append(all, string(text))
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

func (e *expression) wrongType(got, want fmt.Stringer) error {
	return e.errorAt(e.ast.NativeRep().Expr().ID(), fmt.Sprintf("gives %s, must give %s", got, want))
}

// errorAt returns an error at one node of the expression.
func (e *expression) errorAt(node int64, cause string) error {
	return errorAt(e.field, e.ast.NativeRep().SourceInfo().GetStartLocation(node), cause)
}
