package cli

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/people"
)

// holdCommand is hold or release.
type holdCommand struct {
	access   access
	output   output
	confirm  confirm
	clock    clock.PassiveClock
	releases bool
	span     time.Duration
	until    string
	reason   string
}

const holdArgs = `

TARGET is machine/NAME, mhc/NAME (a MachineHealthCheck: all its machines) or cluster/NAME; NAME alone is a machine.

`

func newHold() *cobra.Command { return (&holdCommand{clock: clock.RealClock{}}).hold() }

func newRelease() *cobra.Command {
	return (&holdCommand{clock: clock.RealClock{}, releases: true}).release()
}

func (h *holdCommand) hold() *cobra.Command {
	cmd := h.command(&cobra.Command{
		Use:   "hold TARGET (--for DURATION | --until TIME)",
		Short: "Put repairs of a machine, a health check or a cluster on hold until a time",
		Long: "Put repairs of a machine, a health check or a cluster on hold until a time: a pause that ends by itself. Sickbay still judges the\n" +
			"machines, begins nothing new, and gives up the power cycles of its own steps. The command extends a hold, but never shortens it." + holdArgs +
			"Exit codes: 0 it is on hold until then or longer; 1 the API server refused it, or you declined; 2 the input is\ninvalid.",
		Example: "  sickbay hold metal-3 --for 2h --reason 'its disk is being replaced'\n" +
			"  sickbay hold mhc/workers --until 2026-11-23T08:00:00Z\n" +
			"  sickbay hold cluster/blue --for 45m --yes",
	})
	h.flags(cmd.Flags())
	return cmd
}

func (h *holdCommand) release() *cobra.Command {
	return h.command(&cobra.Command{
		Use:   "release TARGET",
		Short: "End the hold on a machine, a health check or a cluster",
		Long: "End the hold on a machine, a health check or a cluster, and print when it would have ended and why it was set." + holdArgs +
			"Exit codes: 0 it is not on hold; 1 the API server refused it, or you declined; 2 the input is invalid.",
		Example: "  sickbay release metal-3\n  sickbay release cluster/blue --yes",
	})
}

func (h *holdCommand) command(cmd *cobra.Command) *cobra.Command {
	cmd.RunE = h.run
	cmd.ValidArgsFunction = h.access.completeOne(kindMachine, kindHealthCheck, kindCluster)
	fs := cmd.Flags()
	h.access.add(fs)
	h.output.add(fs, formName, formJSON, formYAML)
	h.confirm.add(fs)
	complete(cmd, "output", cobra.FixedCompletions([]string{formName, formJSON, formYAML}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (h *holdCommand) flags(fs *pflag.FlagSet) {
	spanVar(fs, &h.span, "for", 0, "Duration of the hold, such as 45m, 2h or 3d.")
	fs.StringVar(&h.until, "until", "", "End of the hold, such as 2026-11-23T08:00:00Z.")
	fs.StringVar(&h.reason, "reason", "", "Reason for the hold; stored with it and shown in messages.")
}

// holdUntil returns the end of the hold that the flags ask for; zero to release.
func (h *holdCommand) holdUntil() (time.Time, error) {
	now := h.clock.Now()
	switch {
	case h.releases:
		return time.Time{}, nil
	case h.span < 0:
		return time.Time{}, usageError{fmt.Errorf("--for is %s: it must be greater than 0", h.span)}
	case (h.span == 0) == (h.until == ""):
		return time.Time{}, usageError{errors.New("give either --for or --until")}
	case h.until == "":
		return people.HoldUntil(now, h.span), nil
	}
	until, err := time.Parse(time.RFC3339, h.until)
	if err != nil {
		return time.Time{}, usageError{fmt.Errorf("--until is %q: it must be a time like 2006-01-02T15:04:05Z", h.until)}
	}
	if until.UTC().Year() > people.LastYear {
		return time.Time{}, usageError{fmt.Errorf("--until is %s: the year must be at most %d", h.until, people.LastYear)}
	}
	if !until.After(now) {
		return time.Time{}, usageError{fmt.Errorf("--until is %s: it must be in the future", h.until)}
	}
	return until.UTC(), nil
}

func (h *holdCommand) run(cmd *cobra.Command, args []string) error {
	t, err := oneTarget(args, kindMachine, kindHealthCheck, kindCluster)
	until, untilErr := h.holdUntil()
	if err := cmp.Or(err, untilErr, h.output.validate(), validReason(h.reason), h.confirm.validate(cmd.InOrStdin())); err != nil {
		return err
	}
	if t.kind == "" {
		t.kind = kindMachine
	}
	c, namespace, err := h.access.reach()
	if err != nil {
		return err
	}
	change, err := h.propose(cmd, c, people.Target{Kind: t.kind, Namespace: namespace, Name: t.name}, until)
	if err != nil {
		return err
	}
	return h.confirm.carryOut(cmd, &h.output, change)
}

func (h *holdCommand) propose(cmd *cobra.Command, c client.Client, t people.Target, until time.Time) (*people.Change, error) {
	person := h.access.person(cmd, c, t.Namespace, h.clock)
	if h.releases {
		return person.Release(cmd.Context(), t)
	}
	return person.Hold(cmd.Context(), t, until, h.reason)
}
