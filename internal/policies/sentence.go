package policies

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/internal/lint"
	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// said returns lint's message about a field of an object, or an error if there is none: then the caller's example
// is wrong.
func said(document, field string, about string) (string, error) {
	documents, bad := manifest.Parse("probe.yaml", []byte(document))
	result, err := lint.Check(documents, bad, nil)
	if err != nil {
		return "", fmt.Errorf("asking lint about %s: %w", field, err)
	}
	i := slices.IndexFunc(result.Findings, func(f lint.Finding) bool { return f.Field == field && strings.Contains(f.Message, about) })
	if i < 0 {
		return "", fmt.Errorf("lint says nothing about %s with %q in it: %v", field, about, result.Findings)
	}
	return result.Findings[i].Message, nil
}

// spoken turns a message into an expression: about, the example value in it, becomes the given expression.
func spoken(sentence, about, expression string) string {
	before, after, found := strings.Cut(sentence, about)
	if !found {
		return literal(sentence)
	}
	parts := slices.DeleteFunc([]string{literal(before), expression, literal(after)}, func(part string) bool { return part == "''" })
	return strings.Join(parts, " + ")
}

// literal returns a text as a CEL literal.
func literal(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

// literals returns a list of texts as a CEL literal.
func literals(texts []string) string {
	var all []string
	for _, text := range texts {
		all = append(all, literal(text))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// quoted formats a value like targets.Quoted.
func quoted(value string) string {
	return fmt.Sprintf("strings.quote(size(%[1]s) > 100 ? %[1]s.substring(0, 100) + '...' : %[1]s)", value)
}
