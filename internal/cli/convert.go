package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sickbay-dev/sickbay/internal/convert"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/manifest"
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
			"v1beta1 or with older fields, those of OpenShift, those in ClusterClasses and in the topologies of Clusters, and NodeHealthChecks\n" +
			"of medik8s, whose remediations become a plan.\n" +
			"Everything else passes through unchanged. Whatever cannot be converted is reported on standard error, one line each, and stays in the\n" +
			"output as a comment. If more machines would be repaired without it, the output is a dry-run.\n" +
			"It goes on past what it cannot read, leaves it out of the output, and names it at the end.\n\n" +
			"Exit code 1 if something could not be converted; 2 if a file, or a document in it, cannot be read.",
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
	var all told
	for _, file := range read {
		all.add(f.convert(cmd, file, &out))
	}
	if _, err := cmd.OutOrStdout().Write([]byte(out.String())); err != nil {
		return fmt.Errorf("printing the converted objects: %w", err)
	}
	return all.tell(cmd.ErrOrStderr())
}

// told is what convert has to say about its input.
type told struct {
	notes  []convert.Note
	unread []*manifest.SyntaxError
	// partly are the files of which some documents could be read.
	partly []string
}

// add takes over what there is to say about a file. A template needs only one hint.
func (t *told) add(of told) {
	hinted := slices.ContainsFunc(of.unread, func(one *manifest.SyntaxError) bool { return one.Template != nil })
	for i, one := range of.unread {
		if one.Template == nil || !slices.ContainsFunc(of.unread[:i], func(other *manifest.SyntaxError) bool { return other.Template != nil }) {
			t.unread = append(t.unread, one)
		}
	}
	t.partly = append(t.partly, of.partly...)
	for _, note := range of.notes {
		if !note.Template || !hinted {
			t.notes = append(t.notes, note)
		}
		hinted = hinted || note.Template
	}
}

// convert converts the documents of a file that can be read.
func (f *convertFlags) convert(cmd *cobra.Command, file manifest.File, out *strings.Builder) (of told) {
	if file.Err != nil {
		return told{unread: []*manifest.SyntaxError{{File: file.Name, Line: 1, Message: file.Err.Error()}}}
	}
	documents, problems := manifest.Parse(file.Name, file.Data)
	of.unread = problems
	// The first of the file, as lint names it: it may be in an object that needs no conversion.
	var first *manifest.Template
	for _, document := range documents {
		if slices.ContainsFunc(problems, document.Has) {
			continue
		}
		text, some := convert.Document(document, f.options)
		first = cmp.Or(first, convert.TemplateOf(document))
		for i := range some {
			if some[i].Template {
				some[i].Line, some[i].Message = first.Line, convert.Stays+first.Message("convert")
			}
		}
		join(out, text)
		of.partly = append(of.partly, file.Name)
		of.notes = append(of.notes, some...)
		f.passed(cmd, document)
	}
	return of
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
		if !convert.Known(obj.Kind()) && len(convert.Parts(obj)) == 0 && obj.Kind().Group != "sickbay.dev" {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s:%d: %s was passed through\n", obj.File, obj.Node.Line, obj.Title())
		}
	}
}

// tell prints all of it, and returns an error if something could not be converted or read.
func (t *told) tell(w io.Writer) error {
	for _, one := range t.unread {
		message := one.Message
		line := one.Line
		if one.Template != nil {
			line, message = one.Template.Line, one.Template.Message("convert")
		}
		fmt.Fprintf(w, "%s:%d: not read: %s\n", one.File, line, message)
	}
	lost := 0
	for _, note := range t.notes {
		level, field := "note", ""
		if note.Lost {
			level, lost = "not converted", lost+1
		}
		if note.Field != "" {
			field = note.Field + ": "
		}
		fmt.Fprintf(w, "%s:%d: %s: %s%s\n", note.File, note.Line, level, field, note.Message)
	}
	unread := t.failed()
	problems := humanize.Count(lost, "thing", "things") + " could not be converted"
	switch {
	case unread != "" && lost > 0:
		return usageError{errors.New(problems + "; " + unread)}
	case unread != "":
		return usageError{errors.New(unread)}
	case lost > 0:
		return errors.New(problems)
	}
	return nil
}

// failed says which files could not be read, or only in part; empty if all could.
func (t *told) failed() string {
	var files []string
	for _, one := range t.unread {
		files = append(files, one.File)
	}
	files = slices.Compact(files)
	if len(files) == 0 {
		return ""
	}
	part := ""
	if slices.ContainsFunc(files, func(name string) bool { return slices.Contains(t.partly, name) }) {
		part = ", or only in part"
	}
	return humanize.Count(len(files), "file", "files") + " could not be read" + part + ": " + humanize.Some(files, 3)
}
