package cel

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/google/cel-go/common"
)

// ExpressionError says what is wrong with one expression of a rule, or why it could
// not be evaluated on an object. It reads as "current: 1:12: undeclared reference to
// 'stats'".
type ExpressionError struct {
	// Field is the name of the expression as in YAML.
	Field string
	// Line and Column are the place in the expression, from 1 on. They are zero if the
	// error is not about one place.
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

// errorAt is about one place of an expression. There may be none.
func errorAt(field string, at common.Location, cause string) *ExpressionError {
	e := &ExpressionError{Field: field, Cause: clear(cause)}
	if at != nil && at.Line() > 0 && at.Column() >= 0 {
		e.Line, e.Column = at.Line(), at.Column()+1
	}
	return e
}

// oneLine keeps a cause in one line: it may quote the expression.
var oneLine = strings.NewReplacer("'<EOF>'", "the end", "\n", `\n`, "\r", `\r`)

// clear takes what says nothing to a reader out of an error of the CEL library.
func clear(cause string) string {
	// There is only one container, and it has no name.
	cause = strings.TrimSuffix(cause, " (in container '')")
	if reference, ok := strings.CutPrefix(cause, "no such attribute(s): "); ok {
		field, _, _ := strings.Cut(reference, ".")
		return "the object has no field '" + field + "'"
	}
	// A list of all words that would have been possible.
	if before, _, ok := strings.Cut(cause, " expecting {"); ok {
		cause = before
	}
	return strings.Map(plainly, oneLine.Replace(cause))
}

// plainly has a question mark for a character that is no text.
func plainly(r rune) rune {
	if unicode.IsControl(r) || r == unicode.ReplacementChar {
		return '?'
	}
	return r
}
