package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
	"github.com/spf13/cobra"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/bundle"
	"github.com/sickbay-dev/sickbay/internal/explain"
)

func newReplay() *cobra.Command {
	out := output{}
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Judge a bundle from explain --bundle again, without a cluster",
		Long: "Repeat the decisions in a bundle with this version, and print the page.\n" +
			"It needs no cluster. If this version decides differently from the one that wrote the bundle, it prints the difference.\n\n" +
			"Exit code: 0 if it decides the same, 1 if not, 2 if the file cannot be read.",
		Example: "  sickbay explain metal-3 --bundle metal-3.yaml\n  sickbay replay metal-3.yaml\n  sickbay replay metal-3.yaml -o json",
		Args:    oneArg("sickbay replay takes one file"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runReplay(cmd, &out, args[0]) },
	}
	out.add(cmd.Flags(), formJSON, formYAML)
	return cmd
}

func runReplay(cmd *cobra.Command, out *output, file string) error {
	if err := out.validate(); err != nil {
		return err
	}
	b, err := bundle.Read(file)
	if err != nil {
		return usageError{err}
	}
	pages, err := bundle.Replay(cmd.Context(), b, app.Scheme())
	if err != nil {
		return usageError{err}
	}
	if err := writePages(cmd.OutOrStdout(), out, pages); err != nil {
		return err
	}
	if len(b.Pages) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "sickbay: the bundle holds no page to compare with")
		return nil
	}
	if b.SameDecision(pages) {
		return nil
	}
	fmt.Fprintf(tame{cmd.ErrOrStderr()}, "sickbay: %s decides differently from %s, which wrote the bundle (-then +now):\n", app.Version, b.Version)
	return tellDifference(cmd.ErrOrStderr(), b.Pages, pages)
}

// tellDifference prints how pages differ as text, or if the text is the same, as YAML.
func tellDifference(w io.Writer, then, now []explain.Page) error {
	for _, form := range []string{formText, formYAML} {
		var before, after bytes.Buffer
		if err := writePages(&before, &output{form: form}, then); err != nil {
			return err
		}
		if err := writePages(&after, &output{form: form}, now); err != nil {
			return err
		}
		if diff := lineDiff(before.String(), after.String()); diff != "" {
			_, _ = io.WriteString(w, diff)
			break
		}
	}
	return errNo
}

// writePages prints pages for people or for programs.
func writePages(w io.Writer, out *output, pages []explain.Page) error {
	if out.structured() && len(pages) == 1 {
		return out.write(w, pages[0])
	}
	if out.structured() {
		return out.write(w, pages)
	}
	for i, page := range pages {
		if i > 0 {
			fmt.Fprintln(w)
		}
		newText(w).page(page, len(pages) > 1)
	}
	return nil
}

// lineDiff returns the difference between two texts, line by line: removed lines begin with -, added ones with +. It is empty if they are equal.
func lineDiff(before, after string) string {
	a, b := slices.Collect(strings.Lines(before)), slices.Collect(strings.Lines(after))
	var diff strings.Builder
	for _, change := range difflib.NewMatcherWithJunk(a, b, false, nil).GetOpCodes() {
		if change.Tag == 'e' { // they are equal there
			continue
		}
		for _, line := range a[change.I1:change.I2] {
			diff.WriteString("- " + line)
		}
		for _, line := range b[change.J1:change.J2] {
			diff.WriteString("+ " + line)
		}
	}
	return diff.String()
}
