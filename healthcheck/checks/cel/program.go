package cel

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Program is a compiled rule. It is safe for concurrent use.
type Program struct {
	current, inProgress, failed, message, codes *expression

	within time.Duration
}

var listOfStrings = cel.ListType(cel.StringType)

// Compile compiles a rule; do it once. The error joins an *ExpressionError for each wrong
// expression.
func Compile(rule Rule) (*Program, error) {
	if err := rule.validate(); err != nil {
		return nil, err
	}
	env, err := newEnv(rule.Fields)
	if err != nil {
		return nil, fmt.Errorf("fields: %w", err)
	}
	p := &Program{within: cmp.Or(rule.Within.Duration, defaultWithin)}
	var errs []error
	for _, e := range []struct {
		into        **expression
		field, text string
		want        *cel.Type
	}{
		{&p.current, "current", rule.Current, cel.BoolType},
		{&p.inProgress, "inProgress", rule.InProgress, cel.BoolType},
		{&p.failed, "failed", rule.Failed, cel.BoolType},
		{&p.message, "message", rule.Message, cel.StringType},
		{&p.codes, "codes", rule.Codes, listOfStrings},
	} {
		var err error
		*e.into, err = compile(env, e.field, e.text, e.want)
		errs = append(errs, err)
	}
	if p.current == nil && errs[0] == nil {
		errs[0] = &ExpressionError{Field: "current", Cause: "must be given"}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return p, nil
}

// validate validates everything in a rule except the expressions.
func (r Rule) validate() error {
	var errs []error
	if r.Within.Duration < 0 {
		errs = append(errs, &ExpressionError{Field: "within", Cause: "must not be negative"})
	}
	for _, name := range slices.Sorted(slices.Values(r.Fields)) {
		if len(validation.IsCIdentifier(name)) > 0 {
			errs = append(errs, &ExpressionError{Field: "fields", Cause: fmt.Sprintf("%q is not a valid field name", name)})
		}
	}
	return errors.Join(errs...)
}
