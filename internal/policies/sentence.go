package policies

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/internal/lint"
	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// said is what lint says of a field of an object, or an error if it says nothing: then what is asked for is wrong.
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

// spoken is a sentence as an expression: what was asked about is what the expression says instead.
func spoken(sentence, about, expression string) string {
	before, after, found := strings.Cut(sentence, about)
	if !found {
		return literal(sentence)
	}
	parts := slices.DeleteFunc([]string{literal(before), expression, literal(after)}, func(part string) bool { return part == "''" })
	return strings.Join(parts, " + ")
}

// literal is a text in CEL.
func literal(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

// literals is a list of texts in CEL.
func literals(texts []string) string {
	var all []string
	for _, text := range texts {
		all = append(all, literal(text))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// quoted prints a value as targets.Quoted does.
func quoted(value string) string {
	return fmt.Sprintf("strings.quote(size(%[1]s) > 100 ? %[1]s.substring(0, 100) + '...' : %[1]s)", value)
}
