package rules

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/interpreter"
)

// StartAt returns the step and the name of the first rule that is true; empty if none is. An error means that a rule before it
// could not be evaluated: then a person decides where to start.
func (r *Rules) StartAt(in Input) (step, rule string, err error) {
	if len(r.rules) == 0 {
		return "", "", nil
	}
	variables := in.variables()
	for i := range r.rules {
		one := &r.rules[i]
		holds, err := one.holds(variables)
		if err != nil {
			return "", "", fmt.Errorf("rule %s cannot be evaluated: %w", one.name, err)
		}
		if holds {
			return one.startAt, one.name, nil
		}
	}
	return "", "", nil
}

func (r *rule) holds(variables map[string]any) (bool, error) {
	value, _, err := r.program.Eval(variables)
	if err != nil {
		return false, r.explain(err)
	}
	holds, ok := value.(types.Bool)
	if !ok {
		return false, fmt.Errorf("it gives %s, and must give bool", value.Type().TypeName())
	}
	return bool(holds), nil
}

// explain says in plain words why a rule could not be evaluated, and where.
func (r *rule) explain(err error) error {
	if cancelled, ok := errors.AsType[interpreter.EvalCancelledError](err); ok && cancelled.Cause == interpreter.CostLimitExceeded {
		return fmt.Errorf("it costs more than %d for this machine", CostLimit)
	}
	if located, ok := errors.AsType[*types.Err](err); ok {
		return problemAt(r.ast.NativeRep().SourceInfo().GetStartLocation(located.NodeID()), located.Error())
	}
	return problemAt(nil, err.Error())
}

// problemAt is about one place of an expression, if there is one.
func problemAt(at common.Location, problem string) error {
	problem = strings.TrimSuffix(problem, " (in container '')")
	// A list of all possible words does not help a reader.
	problem, _, _ = strings.Cut(problem, " expecting {")
	problem = strings.Map(plainly, oneLine.Replace(problem))
	if at == nil || at.Line() <= 0 || at.Column() < 0 {
		return errors.New(problem)
	}
	return fmt.Errorf("%d:%d: %s", at.Line(), at.Column()+1, problem)
}

// plainly replaces characters that are not text with question marks.
func plainly(r rune) rune {
	if unicode.IsControl(r) || r == unicode.ReplacementChar {
		return '?'
	}
	return r
}

// oneLine puts a problem on one line: it may quote the expression.
var oneLine = strings.NewReplacer("'<EOF>'", "the end", "\n", `\n`, "\r", `\r`)
