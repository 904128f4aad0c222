package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

func newExplain() *cobra.Command {
	f, out := lookFlags{}, output{}
	cmd := &cobra.Command{
		Use:   "explain [KIND/]NAME",
		Short: "Say why a machine is repaired or not, and what happens next and when",
		Long: "Say what is so, why, what stands in the way, and what happens next and when.\n" +
			"KIND is machine, node, mhc (MachineHealthCheck), mr (MachineRemediation) or cluster; without it, machine.\n" +
			"It reads, never writes, and needs no manager. A machine that is gone is explained by its records.",
		Example: "  sickbay explain metal-3\n  sickbay explain node/worker-7 -A\n  sickbay explain mhc/workers -o json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("sickbay explain takes one argument, KIND/NAME or the NAME of a machine, but got %d", len(args))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runExplain(cmd, &f, &out, args[0]) },
	}
	f.add(cmd.Flags())
	out.add(cmd.Flags(), formJSON, formYAML)
	cmd.ValidArgsFunction = f.completeOne(kindMachine, kindRemediation, kindHealthCheck, kindCluster)
	return cmd
}

func runExplain(cmd *cobra.Command, f *lookFlags, out *output, what string) error {
	if err := out.validate(); err != nil {
		return err
	}
	kind, name, found := strings.Cut(what, "/")
	if !found {
		kind, name = "", what
	}
	if err := explain.Explains(kind); err != nil {
		return usageError{err}
	}
	facts, err := f.look(cmd)
	if err != nil {
		return err
	}
	pages := facts.Of(kind, name)
	if len(pages) == 0 {
		return fmt.Errorf("there is no %s in %s", what, f.place())
	}
	if out.structured() && len(pages) == 1 {
		return out.write(cmd.OutOrStdout(), pages[0])
	}
	if out.structured() {
		return out.write(cmd.OutOrStdout(), pages)
	}
	for i, page := range pages {
		if i > 0 {
			fmt.Fprintln(cmd.OutOrStdout())
		}
		newText(cmd.OutOrStdout()).page(page, len(pages) > 1)
	}
	return nil
}

// place says where was looked, for people.
func (a *access) place() string {
	namespace, err := a.namespace()
	if err != nil || namespace == "" {
		return "any namespace"
	}
	return "namespace " + namespace + " (-A looks at all)"
}
