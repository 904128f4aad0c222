package cel

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/google/cel-go/common"
)

// ExpressionError says what is wrong with one expression of a rule, or why it could not be
// evaluated on an object. Its text looks like "current: 1:12: undeclared reference to
// 'stats'".
type ExpressionError struct {
	// Field is the name of the expression in YAML.
	Field string
	// Line and Column are the position in the expression, starting at 1. They are zero if
	// the error is not about one position.
	Line, Column int
	// Cause says what is wrong, in one sentence.
	Cause string
}

// Error implements error.
func (e *ExpressionError) Error() string {
	if e.Line == 0 {
		return e.Field + ": " + e.Cause
	}
	return fmt.Sprintf("%s: %d:%d: %s", e.Field, e.Line, e.Column, e.Cause)
}

// errorAt returns an error at one position of an expression, which may be nil.
func errorAt(field string, at common.Location, cause string) *ExpressionError {
	e := &ExpressionError{Field: field, Cause: clear(cause)}
	if at != nil && at.Line() > 0 && at.Column() >= 0 {
		e.Line, e.Column = at.Line(), at.Column()+1
	}
	return e
}

// oneLine keeps a cause on one line: it may quote the expression.
var oneLine = strings.NewReplacer("'<EOF>'", "the end", "\n", `\n`, "\r", `\r`)

// clear removes what means nothing to a reader from an error of the CEL library.
func clear(cause string) string {
	// There is only one container, and it has no name.
	cause = strings.TrimSuffix(cause, " (in container '')")
	if reference, ok := strings.CutPrefix(cause, "no such attribute(s): "); ok {
		field, _, _ := strings.Cut(reference, ".")
		return "the object has no field '" + field + "'"
	}
	// A list of all tokens that would have been valid.
	if before, _, ok := strings.Cut(cause, " expecting {"); ok {
		cause = before
	}
	return strings.Map(plainly, oneLine.Replace(cause))
}

// plainly replaces a character that is not text with a question mark.
func plainly(r rune) rune {
	if unicode.IsControl(r) || r == unicode.ReplacementChar {
		return '?'
	}
	return r
}
