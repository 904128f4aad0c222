package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/lint"
	"github.com/sickbay-dev/sickbay/internal/manifest"
	"github.com/sickbay-dev/sickbay/internal/owners"
	ownersilence "github.com/sickbay-dev/sickbay/internal/repair/silence"
)

type lintFlags struct {
	files  files
	access access
	out    output
	live   bool
	strict bool
}

func newLint() *cobra.Command {
	f := lintFlags{}
	cmd := &cobra.Command{
		Use:   "lint -f FILE",
		Short: "Find mistakes and dangers in health checks and plans",
		Long: "Find mistakes in health checks and plans before you apply them, by file, line and field. Errors are what the API server\n" +
			"or Sickbay refuses; warnings are what is valid but dangerous. It knows MachineHealthChecks of Cluster API and of OpenShift,\n" +
			"also in ClusterClasses and in the topologies of Clusters, NodeHealthChecks of medik8s, Sickbay's own kinds, and Sickbay's\n" +
			"annotations on Machines and Clusters. It skips other kinds. For a template of Helm or clusterctl, it says how to render it.\n" +
			"With --live it also reads the Machines, their owners and the MachineHealthChecks of the management cluster, and which kinds\n" +
			"are installed, for checks that depend on them.\n\n" +
			"Exit code 1 if there is an error, or a warning with --strict; 2 if a file or the management cluster cannot be read.",
		Example: "  sickbay lint -f mhc.yaml\n  sickbay lint -f manifests/ -R --strict\n  kubectl get mhc -A -o yaml | sickbay lint -f - --live -o json",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.files.add(cmd)
	f.access.add(cmd.Flags())
	cmd.Flags().Lookup("namespace").Usage = "Namespace for objects without one. Default: the context's."
	f.out.add(cmd.Flags(), formJSON, formYAML)
	cmd.Flags().BoolVar(&f.live, "live", false, "Also read the management cluster: which Machines are selected, by which other health checks, and which kinds are installed.")
	cmd.Flags().BoolVar(&f.strict, "strict", false, "Also exit with 1 for warnings.")
	return cmd
}

func (f *lintFlags) run(cmd *cobra.Command) error {
	if err := f.out.validate(); err != nil {
		return err
	}
	read, err := f.files.read(cmd)
	if err != nil {
		return err
	}
	var documents []*manifest.Document
	var problems []*manifest.SyntaxError
	var unread []string
	for _, file := range read {
		if file.Err != nil {
			unread = append(unread, file.Name)
			problems = append(problems, &manifest.SyntaxError{File: file.Name, Line: 1, Message: file.Err.Error()})
			continue
		}
		some, bad := manifest.Parse(file.Name, file.Data)
		documents, problems = append(documents, some...), append(problems, bad...)
	}
	fleet, err := f.fleet(cmd.Context(), documents)
	if err != nil {
		return usageError{err}
	}
	result, err := lint.Check(documents, problems, fleet)
	if err != nil {
		return err
	}
	f.aside(cmd.ErrOrStderr(), result)
	sayOlder(cmd.ErrOrStderr(), documents)
	if err := f.show(cmd.OutOrStdout(), result.Findings); err != nil {
		return err
	}
	if len(unread) > 0 {
		return usageError{fmt.Errorf("%s could not be read: %s", humanize.Count(len(unread), "file", "files"), humanize.Some(unread, 3))}
	}
	return f.verdict(result.Findings)
}

// fleet reads the namespaces of the documents from the management cluster; nil without --live.
func (f *lintFlags) fleet(ctx context.Context, documents []*manifest.Document) (*lint.Fleet, error) {
	if !f.live {
		return nil, nil
	}
	c, namespace, err := f.access.reach()
	if err != nil {
		return nil, err
	}
	fleet := &lint.Fleet{Namespace: namespace, Owners: map[client.ObjectKey]ownersilence.Facts{}}
	for _, one := range lint.Namespaces(documents, namespace) {
		if err := readNamespace(ctx, c, one, fleet); err != nil {
			return nil, err
		}
	}
	cfg, err := f.access.config()
	if err != nil {
		return nil, err
	}
	fleet.Kinds, err = app.InstalledKinds(cfg)
	return fleet, err
}

func readNamespace(ctx context.Context, c client.Client, namespace string, into *lint.Fleet) error {
	var machines clusterv1.MachineList
	var checks clusterv1.MachineHealthCheckList
	var plans v1alpha1.MachineRemediationTemplateList
	var pools clusterv1.MachinePoolList
	for _, one := range []struct {
		kind string
		list client.ObjectList
	}{{"Machines", &machines}, {"MachineHealthChecks", &checks}, {"MachineRemediationTemplates", &plans}} {
		if err := c.List(ctx, one.list, client.InNamespace(namespace)); err != nil && !meta.IsNoMatchError(err) {
			return fmt.Errorf("listing %s in namespace %s: %w", one.kind, namespace, err)
		}
	}
	// Without the right to list pools, lint says nothing about them.
	if err := c.List(ctx, &pools, client.InNamespace(namespace)); err != nil && !meta.IsNoMatchError(err) && !apierrors.IsForbidden(err) {
		return fmt.Errorf("listing MachinePools in namespace %s: %w", namespace, err)
	}
	if err := readOwners(ctx, c, namespace, machines.Items, into); err != nil {
		return err
	}
	into.Machines = append(into.Machines, machines.Items...)
	into.HealthChecks = append(into.HealthChecks, checks.Items...)
	into.Plans = append(into.Plans, plans.Items...)
	into.Pools = append(into.Pools, pools.Items...)
	return nil
}

// readOwners reads what is known about the owners of some machines. What may not be read is not known.
func readOwners(ctx context.Context, c client.Client, namespace string, machines []clusterv1.Machine, into *lint.Fleet) error {
	var clusters clusterv1.ClusterList
	if err := c.List(ctx, &clusters, client.InNamespace(namespace)); err != nil && !apierrors.IsForbidden(err) && !meta.IsNoMatchError(err) {
		return fmt.Errorf("listing Clusters in namespace %s: %w", namespace, err)
	}
	byName := map[string]*clusterv1.Cluster{}
	for i := range clusters.Items {
		byName[clusters.Items[i].Name] = &clusters.Items[i]
	}
	reader := owners.Reader{Live: c}
	for i := range machines {
		facts, err := reader.Of(ctx, &machines[i], byName[machines[i].Spec.ClusterName])
		if err != nil {
			return err
		}
		into.Owners[client.ObjectKeyFromObject(&machines[i])] = facts
	}
	return nil
}

// aside names what was not checked.
func (f *lintFlags) aside(w io.Writer, result lint.Result) {
	for _, obj := range result.Skipped {
		fmt.Fprintf(w, "%s:%d: %s was skipped\n", obj.File, obj.Node.Line, obj.Title())
	}
	if result.Nothing {
		fmt.Fprintln(w, "no health check was found")
	}
	for _, what := range result.Unchecked {
		fmt.Fprintf(w, "not checked: %s\n", what)
	}
}

// sayOlder names the MachineHealthChecks of older versions of Cluster API, which simulate does not take.
func sayOlder(w io.Writer, documents []*manifest.Document) {
	for _, document := range documents {
		for _, obj := range document.Objects {
			kind := obj.Kind()
			if kind.Kind == "MachineHealthCheck" && kind.Group == clusterv1.GroupVersion.Group && kind.Version != clusterv1.GroupVersion.Version {
				fmt.Fprintf(w, "%s:%d: %s is of %s; sickbay convert makes it one of %s, which simulate needs\n", obj.File, obj.Node.Line, obj.Title(), kind.Version, clusterv1.GroupVersion.Version)
			}
		}
	}
}

// lintPage is the output for programs.
type lintPage struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Findings   []lint.Finding `json:"findings"`
}

func (f *lintFlags) show(w io.Writer, findings []lint.Finding) error {
	if f.out.structured() {
		return f.out.write(w, lintPage{APIVersion: lint.APIVersion, Kind: "Lint", Findings: append([]lint.Finding{}, findings...)})
	}
	paint := newPainter(w)
	for _, one := range findings {
		c := yellow
		if one.Level == lint.Error {
			c = red
		}
		if _, err := fmt.Fprintln(w, paint.paint(c, one.String())); err != nil {
			return fmt.Errorf("printing the findings: %w", err)
		}
	}
	return nil
}

// verdict returns the error that sets the exit code.
func (f *lintFlags) verdict(findings []lint.Finding) error {
	bad, dangerous := 0, 0
	for _, one := range findings {
		switch one.Level {
		case lint.Error:
			bad++
		case lint.Warning:
			dangerous++
		case lint.Note:
		}
	}
	switch {
	case bad > 0:
		return errors.New(humanize.Count(bad, "error", "errors") + ", " + humanize.Count(dangerous, "warning", "warnings"))
	case f.strict && dangerous > 0:
		return errors.New(humanize.Count(dangerous, "warning", "warnings"))
	}
	return nil
}
