package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sickbay-dev/sickbay/internal/convert"
	"github.com/sickbay-dev/sickbay/internal/manifest"
	"github.com/sickbay-dev/sickbay/internal/words"
)

type convertFlags struct {
	files   files
	options convert.Options
}

func newConvert() *cobra.Command {
	f := convertFlags{}
	cmd := &cobra.Command{
		Use:   "convert -f FILE",
		Short: "Convert health checks of other dialects to Cluster API v1beta2",
		Long: "Convert health checks of other dialects to Cluster API v1beta2, with their comments: MachineHealthChecks of Cluster API\n" +
			"v1beta1 or with older fields, those of OpenShift, and NodeHealthChecks of medik8s, whose remediations become a plan.\n" +
			"Everything else passes through unchanged. Whatever cannot be converted is reported on standard error, one line each, and stays in the\n" +
			"output as a comment. If more machines would be repaired without it, the output is a dry-run.\n\n" +
			"Exit code 1 if something could not be converted; 2 if a file cannot be read.",
		Example: "  sickbay convert -f mhc.yaml > mhc-v1beta2.yaml\n  sickbay convert -f nodehealthchecks/ --cluster blue -n default\n" +
			"  kubectl get mhc -A -o yaml | sickbay convert -f -",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.files.add(cmd)
	cmd.Flags().StringVar(&f.options.Cluster, "cluster", "", "Name of the Cluster for health checks that name none: OpenShift's and medik8s'.")
	cmd.Flags().StringVarP(&f.options.Namespace, "namespace", "n", "", "Namespace for objects without one: NodeHealthChecks.")
	return cmd
}

func (f *convertFlags) run(cmd *cobra.Command) error {
	read, err := f.files.read(cmd)
	if err != nil {
		return err
	}
	var out strings.Builder
	var notes []convert.Note
	for _, file := range read {
		documents, problems := manifest.Parse(file.Name, file.Data)
		if len(problems) > 0 {
			return usageError{problems[0]}
		}
		for _, document := range documents {
			text, some := convert.Document(document, f.options)
			join(&out, text)
			notes = append(notes, some...)
			f.passed(cmd, document)
		}
	}
	if _, err := cmd.OutOrStdout().Write([]byte(out.String())); err != nil {
		return fmt.Errorf("printing the converted objects: %w", err)
	}
	return f.tell(cmd, notes)
}

// join appends a document to a stream, with a separator.
func join(out *strings.Builder, text string) {
	if out.Len() > 0 && text != "" {
		if !strings.HasSuffix(out.String(), "\n") {
			out.WriteString("\n")
		}
		if !strings.HasPrefix(text, "---") {
			out.WriteString("---\n")
		}
	}
	out.WriteString(text)
}

// passed names the objects that convert does not know and passes through.
func (f *convertFlags) passed(cmd *cobra.Command, document *manifest.Document) {
	for _, obj := range document.Objects {
		if !convert.Known(obj.Kind()) && obj.Kind().Group != "sickbay.dev" {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s:%d: %s was passed through\n", obj.File, obj.Node.Line, obj.Title())
		}
	}
}

// tell prints the notes, and returns an error if something could not be converted.
func (f *convertFlags) tell(cmd *cobra.Command, notes []convert.Note) error {
	lost := 0
	for _, note := range notes {
		level, field := "note", ""
		if note.Lost {
			level, lost = "not converted", lost+1
		}
		if note.Field != "" {
			field = note.Field + ": "
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s:%d: %s: %s%s\n", note.File, note.Line, level, field, note.Message)
	}
	if lost > 0 {
		return errors.New(words.Count(lost, "thing", "things") + " could not be converted")
	}
	return nil
}

// lineDiff returns the difference between two texts, line by line: removed lines begin with -, added ones with +. It is empty if
// they are equal.
func lineDiff(before, after string) string {
	a, b := lines(before), lines(after)
	same := common(a, b)
	var diff strings.Builder
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			i, j = i+1, j+1
		case same[i+1][j] >= same[i][j+1]:
			diff.WriteString("- " + a[i] + "\n")
			i++
		default:
			diff.WriteString("+ " + b[j] + "\n")
			j++
		}
	}
	for _, line := range a[i:] {
		diff.WriteString("- " + line + "\n")
	}
	for _, line := range b[j:] {
		diff.WriteString("+ " + line + "\n")
	}
	return diff.String()
}

// common returns the length of the longest common subsequence of a[i:] and b[j:], for each i and j.
func common(a, b []string) [][]int {
	same := make([][]int, len(a)+1)
	same[len(a)] = make([]int, len(b)+1)
	for i, x := range slices.Backward(a) {
		same[i] = make([]int, len(b)+1)
		for j, y := range slices.Backward(b) {
			same[i][j] = max(same[i+1][j], same[i][j+1])
			if x == y {
				same[i][j] = 1 + same[i+1][j+1]
			}
		}
	}
	return same
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
