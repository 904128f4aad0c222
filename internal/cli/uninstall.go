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
	"github.com/sickbay-dev/sickbay/internal/uninstall"
	"github.com/sickbay-dev/sickbay/internal/uninstall/trace"
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
		Short: "Take back all that Sickbay has written",
		Long: "Take back all that Sickbay has written, in all namespaces or in one: first it lets hosts that are kept off come on and puts their\n" +
			"Nodes back in service, then it removes conditions, marks, annotations, finalizers, requests, pauses for upgrades and records. It\n" +
			"writes with your rights, shows everything before it asks, and leaves what you have written. Run it again if it was interrupted.\n\n" +
			"Stop the manager first (kubectl scale deployment/sickbay --replicas=0): as long as one leads, nothing is taken back. Afterwards\n" +
			"remove what was installed, such as by helm uninstall: Deployment, permissions and policies stay, and so do the kinds without --crds.\n\n" +
			"Exit codes: 0 nothing is left, or with --dry-run everything could be read; 1 something could not be read or taken back, a manager\n" +
			"leads, or you said no; 2 the input cannot be understood.",
		Example: "  sickbay uninstall --dry-run\n  sickbay uninstall -n metal\n  sickbay uninstall --yes --annotations --crds",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	f.access.addAll(fs)
	fs.Lookup("namespace").Usage = "Namespace to look at. Without it, all."
	f.confirm.add(fs)
	fs.Lookup("dry-run").Usage = "Show what would be taken back, and write nothing."
	fs.BoolVar(&f.options.Annotations, "annotations", false, "Remove the annotations by which people have told Sickbay what to do, too.")
	fs.BoolVar(&f.crds, "crds", false, "Delete the definitions of Sickbay's kinds at the end, and with them all plans and templates.")
	fs.BoolVar(&f.ignoreLeader, "ignore-leader", false, "Continue even if a manager is leading, or if its lease cannot be read. A manager that runs writes its objects again.")
	fs.BoolVar(&f.leaveNodes, "leave-nodes", false, "Do not wait for Nodes that are not there or cannot be reached: what they have not got back is lost.")
	return cmd
}

// look is the namespace that is looked at: without one, all.
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
		return usageError{errors.New("--crds and --namespace exclude each other: a kind is there for all namespaces")}
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

// workloadTimeout is how long a workload cluster may take to answer.
const workloadTimeout = 10 * time.Second

// workloadCluster connects to one, by the kubeconfig that Cluster API keeps for it. Those who may write that need not be those who run this: one
// that names a command or a file is refused.
func workloadCluster(ctx context.Context, c client.Client, cluster client.ObjectKey) (client.Client, error) {
	data, err := clusterconfig.FromSecret(ctx, workload.Kubeconfigs{Reader: c}, cluster)
	if err != nil {
		return nil, fmt.Errorf("reading its kubeconfig: %w", err)
	}
	config, err := targets.ParseKubeconfig(data)
	if err != nil {
		return nil, fmt.Errorf("understanding its kubeconfig: %w", err)
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
	if f.confirm.dryRun || survey.Ours() == 0 {
		return allRead(survey)
	}
	if err := f.refuse(survey); err != nil {
		return err
	}
	if !f.confirm.yes {
		if err := f.confirm.ask(cmd, "Take this back?"); err != nil {
			return err
		}
	}
	out := tame{cmd.OutOrStdout()}
	failed := u.TakeBack(cmd.Context(), survey, func(item uninstall.Item, err error) {
		if err != nil {
			fmt.Fprintf(out, "%s: not taken back: %s\n", item, oneLine(err))
			return
		}
		fmt.Fprintf(out, "%s: taken back\n", item)
	})
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	return f.verify(cmd, u, failed)
}

// refuse says why nothing may be taken back.
func (f *uninstallFlags) refuse(survey uninstall.Survey) error {
	const anyway = "; --ignore-leader continues anyway"
	switch {
	case f.ignoreLeader:
		return nil
	case len(survey.Leaders) > 0:
		return fmt.Errorf("a manager is leading, and would write this again: %s. Stop it (kubectl scale --replicas=0); if it was killed, wait a minute and a quarter%s", strings.Join(survey.Leaders, ", "), anyway)
	case survey.LeadersUnread:
		return fmt.Errorf("cannot check whether a manager is leading: you may not read leases%s", anyway)
	}
	return nil
}

// verify looks at everything once more.
func (f *uninstallFlags) verify(cmd *cobra.Command, u *uninstall.Uninstaller, failed error) error {
	left, err := u.Survey(cmd.Context())
	if err != nil {
		return err
	}
	out := tame{cmd.OutOrStdout()}
	if n := left.Ours(); n > 0 {
		fmt.Fprintf(out, "\nSomething of Sickbay's is left on %s:\n", objects(n))
		list(out, left.Items, func(i uninstall.Item) []string { return i.What })
		return errNo
	}
	if failed != nil {
		return failed
	}
	if len(left.Unread) > 0 {
		fmt.Fprintln(out, "\nNothing of Sickbay's is left in what could be read")
		return errNo
	}
	fmt.Fprintln(out, "\nNothing of Sickbay's is left")
	return nil
}

// show says what was found, and what could not be looked at.
func (f *uninstallFlags) show(cmd *cobra.Command, survey uninstall.Survey) {
	out := tame{cmd.OutOrStdout()}
	for _, one := range survey.Unread {
		fmt.Fprintf(tame{cmd.ErrOrStderr()}, "not read: %s\n", one)
	}
	if n := survey.Ours(); n == 0 {
		fmt.Fprintln(out, "Nothing of Sickbay's was found")
	} else {
		fmt.Fprintf(out, "Sickbay has written to %s:\n", objects(n))
	}
	list(out, survey.Items, func(i uninstall.Item) []string { return i.What })
	var yours strings.Builder
	list(&yours, survey.Items, func(i uninstall.Item) []string { return i.Yours })
	if yours.Len() > 0 {
		hint := " (--annotations removes the annotations)"
		if f.options.Annotations {
			hint = ""
		}
		fmt.Fprintf(out, "\nYours, and left as it is%s:\n%s", hint, yours.String())
	}
}

func list(w io.Writer, items []uninstall.Item, what func(uninstall.Item) []string) {
	for _, item := range items {
		if all := what(item); len(all) > 0 {
			fmt.Fprintf(w, "  %s: %s\n", item, strings.Join(all, ", "))
		}
	}
}

// allRead is an error if something could not be read: nobody knows what is there.
func allRead(survey uninstall.Survey) error {
	if len(survey.Unread) > 0 {
		return errNo
	}
	return nil
}

// objects is for people: "1 object", "3 objects".
func objects(n int) string {
	if n == 1 {
		return "1 object"
	}
	return fmt.Sprintf("%d objects", n)
}
