package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/people"
)

// talk is where a command talks to a person: the standard output is for programs if they asked for it.
func (o *output) talk(cmd *cobra.Command) io.Writer {
	if o.form == formText {
		return cmd.OutOrStdout()
	}
	return cmd.ErrOrStderr()
}

// carryOut shows a change, and writes it once a person agrees. The API server checks it before anybody is asked.
func (c *confirm) carryOut(cmd *cobra.Command, o *output, change *people.Change) error {
	if change.Already != "" {
		return o.written(cmd, change.Shown, change.Already)
	}
	show(o.talk(cmd), change.Title, change.Lines)
	if !c.yes {
		checked, err := change.Check(cmd.Context())
		if err != nil {
			return err
		}
		if c.dryRun {
			return o.written(cmd, checked, "Nothing was written (--dry-run); the API server would accept it")
		}
		if err := c.ask(cmd, "Write this?"); err != nil {
			return err
		}
	}
	written, err := change.Write(cmd.Context())
	if err != nil {
		return err
	}
	return o.written(cmd, written, "Written to "+change.Name)
}

// written prints an object as it is in the API server now, or a sentence for people.
func (o *output) written(cmd *cobra.Command, object client.Object, sentence string) error {
	fmt.Fprintln(o.talk(cmd), sentence)
	if o.form == formText {
		return nil
	}
	kind, err := apiutil.GVKForObject(object, app.Scheme())
	if err != nil {
		return fmt.Errorf("naming what was written: %w", err)
	}
	if o.form == formName {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s.%s/%s\n", strings.ToLower(kind.Kind), kind.Group, object.GetName())
		return err
	}
	object.GetObjectKind().SetGroupVersionKind(kind)
	object.SetManagedFields(nil)
	return o.write(cmd.OutOrStdout(), object)
}
