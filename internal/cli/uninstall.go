package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"
	clusterconfig "sigs.k8s.io/cluster-api/util/kubeconfig"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/targets"
	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/lease/scope"
	"github.com/sickbay-dev/sickbay/internal/uninstall"
	"github.com/sickbay-dev/sickbay/internal/uninstall/trace"
	"github.com/sickbay-dev/sickbay/internal/words"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

type uninstallFlags struct {
	access       access
	confirm      confirm
	options      trace.Options
	crds         bool
	ignoreLeader bool
	leaveNodes   bool
	clock        clock.PassiveClock
}

func newUninstall() *cobra.Command { return (&uninstallFlags{clock: clock.RealClock{}}).command() }

func (f *uninstallFlags) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove everything that Sickbay has written",
		Long: "Remove everything that Sickbay has written, in all namespaces or in one: first it lets hosts that are kept off come on and puts their\n" +
			"Nodes back into service; then it removes conditions, marks, annotations, finalizers, requests, pauses for upgrades and records. It\n" +
			"writes with your rights, shows everything before it asks, and leaves what you have written. Run it again if it was interrupted.\n\n" +
			"Stop the manager first (kubectl scale deployment/sickbay --replicas=0): while one leads, the command removes nothing. Afterwards\n" +
			"remove the installation, for example with helm uninstall: the command leaves the Deployment, permissions and policies, and without --crds also the kinds.\n\n" +
			"Exit codes: 0 nothing is left, or with --dry-run everything could be read; 1 something could not be read or removed, a manager\n" +
			"leads, or you declined; 2 the input is invalid.",
		Example: "  sickbay uninstall --dry-run\n  sickbay uninstall -n metal\n  sickbay uninstall --yes --annotations --crds",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	f.access.addAll(fs)
	fs.Lookup("namespace").Usage = "Namespace to look at. Default: all."
	f.confirm.add(fs)
	fs.Lookup("dry-run").Usage = "Show what would be removed, and write nothing."
	fs.BoolVar(&f.options.Annotations, "annotations", false, "Also remove the annotations with which people have configured Sickbay.")
	fs.BoolVar(&f.crds, "crds", false, "At the end, delete the CustomResourceDefinitions of Sickbay's kinds, and with them all plans and templates.")
	fs.BoolVar(&f.ignoreLeader, "ignore-leader", false, "Continue even if a manager leads, or if its lease cannot be read. A running manager writes its objects again.")
	fs.BoolVar(&f.leaveNodes, "leave-nodes", false, "Do not wait for Nodes that are missing or cannot be reached: what has not been restored on them is lost.")
	return cmd
}

// look returns the namespace to look at; all without --namespace.
func (f *uninstallFlags) look() (string, error) {
	if f.access.overrides.Context.Namespace == "" {
		f.access.all = true
	}
	return f.access.namespace()
}

func (f *uninstallFlags) run(cmd *cobra.Command) error {
	namespace, err := f.look()
	if err != nil {
		return err
	}
	if err := f.confirm.validate(cmd.InOrStdin()); err != nil {
		return err
	}
	if f.crds && namespace != "" {
		return usageError{errors.New("--crds and --namespace cannot be used together: kinds exist in all namespaces")}
	}
	c, err := f.access.client()
	if err != nil {
		return err
	}
	u := &uninstall.Uninstaller{
		Client: c, Namespace: namespace, Options: f.options, LeaveNodes: f.leaveNodes, Definitions: f.crds, Clock: f.clock,
		Workload: func(ctx context.Context, cluster client.ObjectKey) (client.Client, error) {
			return workloadCluster(ctx, c, cluster)
		},
	}
	return f.uninstall(cmd, u)
}

// workloadTimeout is the timeout of each request to a workload cluster.
const workloadTimeout = 10 * time.Second

// workloadCluster connects to a workload cluster with the kubeconfig that Cluster API keeps. The people who may write that are not always the
// people who run this, so it refuses a kubeconfig that names a command or a file.
func workloadCluster(ctx context.Context, c client.Client, cluster client.ObjectKey) (client.Client, error) {
	data, err := clusterconfig.FromSecret(ctx, workload.Kubeconfigs{Reader: c}, cluster)
	if err != nil {
		return nil, fmt.Errorf("reading its kubeconfig: %w", err)
	}
	config, err := targets.ParseKubeconfig(data)
	if err != nil {
		return nil, fmt.Errorf("parsing its kubeconfig: %w", err)
	}
	config.Timeout, config.UserAgent = workloadTimeout, "sickbay/"+app.Version
	return client.New(config, client.Options{})
}

func (f *uninstallFlags) uninstall(cmd *cobra.Command, u *uninstall.Uninstaller) error {
	survey, err := u.Survey(cmd.Context())
	if err != nil {
		return err
	}
	f.show(cmd, survey)
	if survey.Ours() == 0 {
		return allRead(survey)
	}
	refused := f.refuse(survey)
	f.warn(cmd, survey, refused)
	if f.confirm.dryRun {
		return allRead(survey)
	}
	if refused != nil {
		return refused
	}
	if !f.confirm.yes {
		if err := f.confirm.ask(cmd, "Remove this?"); err != nil {
			return err
		}
	}
	out := tame{cmd.OutOrStdout()}
	failed := u.TakeBack(cmd.Context(), survey, func(item uninstall.Item, err error) {
		if err != nil {
			fmt.Fprintf(out, "%s: not removed: %s\n", item, oneLine(err))
			return
		}
		fmt.Fprintf(out, "%s: removed\n", item)
	})
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	return f.verify(cmd, u, failed)
}

// refuse returns an error if a manager leads or may lead.
func (f *uninstallFlags) refuse(survey uninstall.Survey) error {
	const anyway = "; --ignore-leader continues anyway"
	switch {
	case f.ignoreLeader:
		return nil
	case len(survey.Leaders) > 0:
		return fmt.Errorf("a manager leads, and would write this again: %s. Stop it (kubectl scale --replicas=0); if it was killed, wait 75 seconds%s", strings.Join(survey.Leaders, ", "), anyway)
	case survey.LeadersUnread:
		return fmt.Errorf("cannot check whether a manager leads: you may not read leases%s", anyway)
	}
	return nil
}

// warn says what a dry-run would be refused for, and that a manager may be running that has no lease. The latter is no reason to
// refuse: an earlier run has removed the leases.
func (f *uninstallFlags) warn(cmd *cobra.Command, survey uninstall.Survey, refused error) {
	w := tame{cmd.ErrOrStderr()}
	switch {
	case refused != nil && f.confirm.dryRun:
		fmt.Fprintf(w, "would be refused: %s\n", oneLine(refused))
	case survey.NoLease && !f.ignoreLeader:
		fmt.Fprintf(w, "It is unknown whether a manager is running: %s. If one is, stop it first (kubectl scale --replicas=0), or it writes this again\n", scope.NoLease)
	}
}

// verify surveys everything again, and prints what is left.
func (f *uninstallFlags) verify(cmd *cobra.Command, u *uninstall.Uninstaller, failed error) error {
	left, err := u.Survey(cmd.Context())
	if err != nil {
		return err
	}
	out := tame{cmd.OutOrStdout()}
	if n := left.Ours(); n > 0 {
		fmt.Fprintf(out, "\nSickbay's writes are left on %s:\n", words.Count(n, "object", "objects"))
		list(out, left.Items, func(i uninstall.Item) []string { return i.What })
		return errNo
	}
	if failed != nil {
		return failed
	}
	if len(left.Unread) > 0 {
		fmt.Fprintln(out, "\nNothing that Sickbay has written is left on the objects that could be read")
		return errNo
	}
	fmt.Fprintln(out, "\nNothing that Sickbay has written is left")
	return nil
}

// show prints what was found, and what could not be read.
func (f *uninstallFlags) show(cmd *cobra.Command, survey uninstall.Survey) {
	out := tame{cmd.OutOrStdout()}
	for _, one := range survey.Unread {
		fmt.Fprintf(tame{cmd.ErrOrStderr()}, "not read: %s\n", one)
	}
	if n := survey.Ours(); n == 0 {
		fmt.Fprintln(out, "Nothing that Sickbay has written was found")
	} else {
		fmt.Fprintf(out, "Sickbay has written to %s:\n", words.Count(n, "object", "objects"))
	}
	list(out, survey.Items, func(i uninstall.Item) []string { return i.What })
	var yours strings.Builder
	list(&yours, survey.Items, func(i uninstall.Item) []string { return i.Yours })
	if yours.Len() > 0 {
		hint := " (--annotations removes the annotations)"
		if f.options.Annotations {
			hint = ""
		}
		fmt.Fprintf(out, "\nYours, left unchanged%s:\n%s", hint, yours.String())
	}
}

func list(w io.Writer, items []uninstall.Item, what func(uninstall.Item) []string) {
	for _, item := range items {
		if all := what(item); len(all) > 0 {
			fmt.Fprintf(w, "  %s: %s\n", item, strings.Join(all, ", "))
		}
	}
}

// allRead returns an error if something could not be read, as traces may be left there.
func allRead(survey uninstall.Survey) error {
	if len(survey.Unread) > 0 {
		return errNo
	}
	return nil
}
