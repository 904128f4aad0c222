package cli

import (
	"encoding/json"
	"fmt"
	"io"
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
	// takes are the forms of a command, beside text.
	takes []string
}

func (o *output) add(fs *pflag.FlagSet, takes ...string) {
	o.takes = takes
	fs.StringVarP(&o.form, "output", "o", formText, "Form of the output: "+strings.Join(takes, ", ")+". Without it, text for people.")
}

func (o *output) validate() error {
	if o.form == formText || slices.Contains(o.takes, o.form) {
		return nil
	}
	return usageError{fmt.Errorf("--output is %q: it must be one of %s", o.form, strings.Join(o.takes, ", "))}
}

// structured reports whether the output is for programs.
func (o *output) structured() bool { return o.form == formJSON || o.form == formYAML }

// write prints a value for programs. The two forms say the same.
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
