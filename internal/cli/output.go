package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"
)

// Forms of output.
const (
	formText = ""
	formWide = "wide"
	formJSON = "json"
	formYAML = "yaml"
	formName = "name"
)

// output is the flag -o.
type output struct {
	form string
	// takes are the forms that a command offers besides text.
	takes []string
}

func (o *output) add(fs *pflag.FlagSet, takes ...string) {
	o.takes = takes
	fs.StringVarP(&o.form, "output", "o", formText, "Format of the output: "+strings.Join(takes, ", ")+". Default: text for people.")
}

func (o *output) validate() error {
	if o.form == formText || slices.Contains(o.takes, o.form) {
		return nil
	}
	return usageError{fmt.Errorf("--output is %q: it must be one of %s", o.form, strings.Join(o.takes, ", "))}
}

// structured reports whether the output is for programs.
func (o *output) structured() bool { return o.form == formJSON || o.form == formYAML }

// forPeople reports whether a person reads the output.
func (o *output) forPeople() bool { return o.form == formText || o.form == formWide }

// write prints a value for programs, as JSON or YAML.
func (o *output) write(w io.Writer, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err == nil && o.form == formYAML {
		data, err = yaml.JSONToYAML(data)
	}
	if err != nil {
		return fmt.Errorf("rendering the output: %w", err)
	}
	if _, err := fmt.Fprintln(w, strings.TrimRight(string(data), "\n")); err != nil {
		return fmt.Errorf("printing the output: %w", err)
	}
	return nil
}

// tame replaces control characters in what objects say. Anybody may have written a message, and control characters can move a
// terminal's cursor, rename its window, reorder words or conceal them. The colors of the painter pass.
type tame struct{ w io.Writer }

// unruly matches the painter's colors, control characters except tabs and newlines, and marks of text direction.
var unruly = regexp.MustCompile("\x1b\\[(?:[012]|3[1-4])m|[\x00-\x08\x0b-\x1f\x7f-\u009f\u202a-\u202e\u2066-\u2069]")

// inline puts what an object says on one line, so that it cannot look like further rows of a page.
func inline(text string) string { return strings.Join(strings.Fields(text), " ") }

// Write writes p, with a question mark in place of each control character.
func (t tame) Write(p []byte) (int, error) {
	text := unruly.ReplaceAllFunc(p, func(found []byte) []byte {
		if found[0] == '\x1b' && len(found) > 1 {
			return found
		}
		return []byte("?")
	})
	if _, err := t.w.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}
