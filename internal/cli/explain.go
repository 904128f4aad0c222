package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/bundle"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/humanize"
)

func newExplain() *cobra.Command {
	f, out := explainFlags{}, output{}
	cmd := &cobra.Command{
		Use:   "explain [KIND/]NAME",
		Short: "Explain why a machine is or is not being repaired, and what happens next and when",
		Long: "Explain the state of an object, the reasons for it, what stands in the way of a repair, and what happens next and when.\n" +
			"KIND is machine, node, host (BareMetalHost), mhc (MachineHealthCheck), mr (MachineRemediation) or cluster; without it, machine.\n" +
			"It only reads, and needs no manager. It explains a machine or host that is gone from its records." + unknownManager,
		Example: "  sickbay explain metal-3\n  sickbay explain node/worker-7 -A\n  sickbay explain mhc/workers -o json\n" +
			"  sickbay explain metal-3 --bundle metal-3.yaml --redact",
		Args: oneArg("sickbay explain takes one argument, KIND/NAME or the NAME of a machine"),
		RunE: func(cmd *cobra.Command, args []string) error { return runExplain(cmd, &f, &out, args[0]) },
	}
	f.add(cmd.Flags())
	cmd.Flags().StringVar(&f.bundle, "bundle", "", "File for everything that was read, for sickbay replay.")
	cmd.Flags().BoolVar(&f.redact, "redact", false, "Replace names, namespaces and addresses in the bundle.")
	out.add(cmd.Flags(), formJSON, formYAML)
	cmd.ValidArgsFunction = f.completeOne(kindMachine, kindRemediation, kindHealthCheck, kindCluster, kindHost)
	return cmd
}

// explainFlags are the flags of explain.
type explainFlags struct {
	lookFlags
	bundle string
	redact bool
}

func runExplain(cmd *cobra.Command, f *explainFlags, out *output, what string) error {
	if err := out.validate(); err != nil {
		return err
	}
	if f.redact && f.bundle == "" {
		return usageError{errors.New("--redact works only together with --bundle FILE")}
	}
	about, err := parseTarget(what, kindMachine, kindNode, kindHost, kindHealthCheck, kindRemediation, kindCluster)
	if err != nil {
		return err
	}
	pages, err := f.pages(cmd, bundle.Asked{Kind: about.kind, Name: about.name})
	if err != nil {
		return err
	}
	if len(pages) == 0 {
		return fmt.Errorf("there is no %s %s in %s", kindWords[about.kind], about.name, f.place())
	}
	return writePages(cmd.OutOrStdout(), out, pages)
}

// kindWords are the kinds for people.
var kindWords = map[string]string{
	"": "machine", kindMachine: "machine", kindNode: "Node", kindHost: "BareMetalHost", kindHealthCheck: "MachineHealthCheck", kindRemediation: "MachineRemediation",
	kindCluster: "Cluster",
}

// alike says what a person probably meant who named something that is not there; empty if nothing is like it.
func alike(facts *explain.Facts, asked bundle.Asked) string {
	var all []string
	for _, kind := range []string{kindHealthCheck, kindCluster, kindNode, kindHost, kindRemediation} {
		if asked.Kind == "" && len(facts.Of(kind, asked.Name)) > 0 {
			all = append(all, kind+"/"+asked.Name)
		}
	}
	if len(all) > 0 {
		return ", but there is " + strings.Join(all, " and ")
	}
	// Siblings differ by their numbers, which nobody mistypes for one another.
	near := humanize.Nearest(asked.Name, slices.DeleteFunc(facts.Names(asked.Kind), func(name string) bool { return digits(name) != digits(asked.Name) }))
	switch {
	case near == "":
		return ""
	case asked.Kind != "":
		near = asked.Kind + "/" + near
	}
	return "; did you mean " + near + "?"
}

// digits returns the digits of a name.
func digits(name string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, name)
}

// pages returns the pages about an object. With --bundle, they come from the bundle.
func (f *explainFlags) pages(cmd *cobra.Command, asked bundle.Asked) ([]explain.Page, error) {
	observer, namespace, shut, err := f.open(cmd)
	if err != nil {
		return nil, err
	}
	defer shut()
	if f.bundle == "" {
		facts, err := observer.Look(cmd.Context(), namespace)
		pages := facts.Of(asked.Kind, asked.Name)
		if err == nil && len(pages) == 0 {
			err = fmt.Errorf("there is no %s %s in %s%s", kindWords[asked.Kind], asked.Name, f.place(), alike(&facts, asked))
		}
		return pages, err
	}
	b, err := bundle.Collect(cmd.Context(), observer, namespace, asked, app.Version, app.Scheme())
	if err != nil || len(b.Pages) == 0 {
		return nil, err
	}
	pages := b.Pages
	if f.redact {
		if b, err = b.Redact(cmd.Context(), app.Scheme()); err != nil {
			return nil, err
		}
	}
	data, err := b.Marshal()
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(f.bundle, data, 0o600); err != nil {
		return nil, fmt.Errorf("writing the bundle: %w", err)
	}
	return pages, nil
}

// place names the place that was searched.
func (a *access) place() string {
	namespace, err := a.namespace()
	if err != nil || namespace == "" {
		return "any namespace"
	}
	return "namespace " + namespace + " (-A looks at all)"
}
